import type { Queryable } from "../../db/index.ts";
import { type Columns, findRow, insertRow } from "./query.ts";

export interface SignInFlowRow {
  readonly id: string;
  readonly provider: string;
  readonly state_hash: Buffer;
  /** Null means that the browser that links an identity has not followed yet. */
  readonly browser_hash: Buffer | null;
  readonly redirect_to: string;
  /** Null means the implicit flow. */
  readonly code_challenge: string | null;
  readonly code_challenge_method: "s256" | "plain" | null;
  readonly linking_session_id: string | null;
  readonly expires_at: Date;
}

type NewFlow = Columns<SignInFlowRow> & Pick<SignInFlowRow, "provider" | "state_hash" | "redirect_to" | "expires_at">;

/** Fails with 23505 when the state is in use. */
export async function insertSignInFlow(client: Queryable, flow: NewFlow): Promise<void> {
  await insertRow<SignInFlowRow>(client, "auth.sign_in_flows", flow);
}

/** Binds a flow that links an identity to the browser that follows first. */
export async function bindSignInFlow(
  client: Queryable,
  flow: Pick<SignInFlowRow, "provider" | "state_hash" | "browser_hash"> & { readonly now: Date },
): Promise<boolean> {
  const { rowCount } = await client.query(
    `update auth.sign_in_flows set browser_hash = $3
      where state_hash = $1 and provider = $2 and browser_hash is null and linking_session_id is not null and expires_at > $4`,
    [flow.state_hash, flow.provider, flow.browser_hash, flow.now],
  );
  return rowCount === 1;
}

/** Ends the flow. Null when another browser began it, when it has expired, or when it was ended before. */
export function takeSignInFlow(
  client: Queryable,
  { stateHash, browserHash, now }: { readonly stateHash: Buffer; readonly browserHash: Buffer; readonly now: Date },
): Promise<SignInFlowRow | null> {
  return findRow(
    client,
    "delete from auth.sign_in_flows where state_hash = $1 and browser_hash = $2 and expires_at > $3 returning *",
    [stateHash, browserHash, now],
  );
}
