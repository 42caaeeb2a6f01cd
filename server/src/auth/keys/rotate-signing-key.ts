import type { Client } from "pg";
import type { Clock } from "../../time/index.ts";
import { inKeyTransaction } from "./in-key-transaction.ts";
import { makeSigningKey } from "./make-signing-key.ts";
import { openSigningKey } from "./open-signing-key.ts";
import { insertSigningKey } from "./sql/insert-signing-key.ts";
import { retireSigningKeys } from "./sql/retire-signing-keys.ts";
import { revokeRetiredSigningKeys } from "./sql/revoke-retired-signing-keys.ts";
import { selectSigningKeys } from "./sql/select-signing-keys.ts";

/** Far longer than an access token lives, so that no token outlives the key it is verified with. */
const VERIFY_FOR_MS = 7 * 24 * 60 * 60 * 1000;

/** A new key signs access tokens from now on; the one before it goes on verifying, so nobody is signed out. */
export async function rotateSigningKey(
  client: Client,
  { masterKey, clock }: { readonly masterKey: string; readonly clock: Clock },
): Promise<{ kid: string }> {
  return inKeyTransaction(client, async () => {
    const current = (await selectSigningKeys(client, "access_token")).find((row) => row.status === "current");
    if (current !== undefined) openSigningKey(current, masterKey);
    const now = clock.now();
    await revokeRetiredSigningKeys(client, {
      purpose: "access_token",
      retiredBefore: new Date(now.getTime() - VERIFY_FOR_MS),
    });
    await retireSigningKeys(client, { purpose: "access_token", status: "previous", retiredAt: now });
    const { row } = await makeSigningKey("access_token", masterKey);
    await insertSigningKey(client, { ...row, status: "current" }, now);
    return { kid: row.kid };
  });
}
