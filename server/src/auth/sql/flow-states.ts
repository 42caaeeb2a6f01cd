import type { Queryable } from "../../db/index.ts";
import { findRow, insertRow } from "./query.ts";

export interface FlowStateRow {
  readonly id: string;
  readonly user_id: string | null;
  readonly authentication_method: string;
  readonly code_challenge: string;
  readonly code_challenge_method: "s256" | "plain";
  readonly redirect_to: string | null;
  readonly expires_at: Date;
  /** Set when an identity provider has begun the flow. */
  readonly provider_answer_wrapped: Buffer | null;
}

export function insertFlowState(client: Queryable, state: FlowStateRow): Promise<FlowStateRow> {
  return insertRow(client, "auth.flow_states", state);
}

export function findFlowState(client: Queryable, id: string): Promise<FlowStateRow | null> {
  return findRow(client, "select * from auth.flow_states where id = $1", [id]);
}

interface IssuedCode {
  readonly authCodeHash: Buffer;
  readonly issuedAt: Date;
  readonly expiresAt: Date;
}

export async function writeAuthCode(client: Queryable, id: string, code: IssuedCode): Promise<void> {
  await client.query(
    "update auth.flow_states set auth_code_hash = $2, code_issued_at = $3, expires_at = $4 where id = $1",
    [id, code.authCodeHash, code.issuedAt, code.expiresAt],
  );
}

/** Also deletes their links. */
export async function deleteFlowStatesOfUser(client: Queryable, userId: string): Promise<void> {
  await client.query("delete from auth.flow_states where user_id = $1", [userId]);
}

/** Returns null when the code is unknown or was used concurrently. */
export function takeFlowState(client: Queryable, authCodeHash: Buffer): Promise<FlowStateRow | null> {
  return findRow(client, "delete from auth.flow_states where auth_code_hash = $1 returning *", [authCodeHash]);
}
