import type { Client } from "pg";
import type { Clock } from "../../time/index.ts";
import { inKeyTransaction } from "./in-key-transaction.ts";
import { makeApiKey } from "./make-api-key.ts";
import { makeSigningKey } from "./make-signing-key.ts";
import { openSigningKey } from "./open-signing-key.ts";
import { insertApiKey } from "./sql/insert-api-key.ts";
import { insertSigningKey } from "./sql/insert-signing-key.ts";
import { retireSigningKeys } from "./sql/retire-signing-keys.ts";
import { revokeApiKeys } from "./sql/revoke-api-keys.ts";
import { selectSigningKeys } from "./sql/select-signing-keys.ts";
import { KEY_ROLES } from "./stored-keys.ts";

export interface RotateRoleKeysOptions {
  readonly masterKey: string;
  readonly clock: Clock;
  /** How long the keys handed out before stay good; 0 ends them at once. */
  readonly graceSeconds: number;
}

/** New anon and service role keys, signed by a new key of their own: whoever had the old ones can make nothing with them. */
export async function rotateRoleKeys(client: Client, options: RotateRoleKeysOptions): Promise<{ oldKeysEndAt: Date }> {
  const { masterKey, clock, graceSeconds } = options;
  return inKeyTransaction(client, async () => {
    const current = (await selectSigningKeys(client, "role_key")).find((row) => row.status === "current");
    if (current !== undefined) openSigningKey(current, masterKey);
    const now = clock.now();
    const oldKeysEndAt = new Date(now.getTime() + graceSeconds * 1000);
    await revokeApiKeys(client, oldKeysEndAt);
    await retireSigningKeys(client, {
      purpose: "role_key",
      status: graceSeconds > 0 ? "previous" : "revoked",
      retiredAt: oldKeysEndAt,
    });
    const { row, privateKey } = await makeSigningKey("role_key", masterKey);
    await insertSigningKey(client, { ...row, status: "current" }, now);
    for (const role of KEY_ROLES) {
      await insertApiKey(client, await makeApiKey({ role, kid: row.kid, privateKey, masterKey, now }), now);
    }
    return { oldKeysEndAt };
  });
}
