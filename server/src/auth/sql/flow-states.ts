import type { Queryable } from "../auth-context.ts";

export interface FlowStateRow {
  readonly id: string;
  readonly user_id: string | null;
  readonly authentication_method: string;
  readonly code_challenge: string;
  readonly code_challenge_method: "s256" | "plain";
  readonly expires_at: Date;
}

export interface NewFlowState {
  readonly id: string;
  readonly userId: string;
  readonly authenticationMethod: string;
  readonly codeChallenge: string;
  readonly codeChallengeMethod: "s256" | "plain";
  readonly redirectTo: string | null;
  readonly expiresAt: Date;
}

export async function insertFlowState(client: Queryable, state: NewFlowState): Promise<void> {
  await client.query(
    `insert into auth.flow_states (id, user_id, authentication_method, code_challenge, code_challenge_method, redirect_to,
                                   expires_at)
     values ($1, $2, $3, $4, $5, $6, $7)`,
    [
      state.id,
      state.userId,
      state.authenticationMethod,
      state.codeChallenge,
      state.codeChallengeMethod,
      state.redirectTo,
      state.expiresAt,
    ],
  );
}

export interface IssuedCode {
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
export async function takeFlowState(client: Queryable, authCodeHash: Buffer): Promise<FlowStateRow | null> {
  const { rows } = await client.query<FlowStateRow>(
    "delete from auth.flow_states where auth_code_hash = $1 returning *",
    [authCodeHash],
  );
  return rows[0] ?? null;
}
