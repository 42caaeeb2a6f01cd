import type { Client } from "pg";
import type { Clock } from "../../time/index.ts";
import { inKeyTransaction } from "./in-key-transaction.ts";
import { revokeSigningKeyRow } from "./sql/revoke-signing-key.ts";

/** Its tokens end. The key that signs cannot be revoked before another one signs. Answers whether there was such a key. */
export async function revokeSigningKey(
  client: Client,
  { kid, clock }: { readonly kid: string; readonly clock: Clock },
): Promise<boolean> {
  return inKeyTransaction(client, () => revokeSigningKeyRow(client, kid, clock.now()));
}
