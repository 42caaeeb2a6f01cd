import type { Client } from "pg";
import type { Clock } from "../../time/index.ts";
import { insertApiKey, revokeApiKeys } from "./sql/api-keys.ts";
import {
  lockSigningKeys,
  insertSigningKey,
  retireSigningKeys,
  revokeRetiredSigningKeys,
  revokeSigningKeyRow,
} from "./sql/signing-keys.ts";
import { openCurrentSigningKey } from "./ensure-keys.ts";
import { makeSigningKey, makeApiKey } from "./make-keys.ts";
import { KEY_ROLES } from "./stored-keys.ts";

/** Serialises rotations: two at once would leave two current keys. */
export async function inKeyTransaction<T>(client: Client, work: () => Promise<T>): Promise<T> {
  await client.query("begin");
  try {
    await lockSigningKeys(client);
    const outcome = await work();
    await client.query("commit");
    return outcome;
  } catch (error) {
    // A failed rollback on a lost connection must not hide the first error.
    await client.query("rollback").catch(() => {});
    throw error;
  }
}

/** Far longer than the lifetime of an access token, so that no token outlives its key. */
const VERIFY_FOR_MS = 7 * 24 * 60 * 60 * 1000;

/** A new key signs access tokens from now on. The previous key continues to verify, so nobody is signed out. */
export async function rotateSigningKey(
  client: Client,
  { masterKey, clock }: { readonly masterKey: string; readonly clock: Clock },
): Promise<{ kid: string }> {
  return inKeyTransaction(client, async () => {
    await openCurrentSigningKey(client, "access_token", masterKey);
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

interface RotateRoleKeysOptions {
  readonly masterKey: string;
  readonly clock: Clock;
  /** How long the previous keys stay valid; 0 revokes them at once. */
  readonly graceSeconds: number;
}

/** Also replaces the key that signs the role keys, so that nobody can create valid ones with the old one. */
export async function rotateRoleKeys(client: Client, options: RotateRoleKeysOptions): Promise<{ oldKeysEndAt: Date }> {
  const { masterKey, clock, graceSeconds } = options;
  return inKeyTransaction(client, async () => {
    await openCurrentSigningKey(client, "role_key", masterKey);
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

/** Invalidates the tokens of a key. The current key cannot be revoked. Returns whether the key was found. */
export async function revokeSigningKey(
  client: Client,
  { kid, clock }: { readonly kid: string; readonly clock: Clock },
): Promise<boolean> {
  return inKeyTransaction(client, () => revokeSigningKeyRow(client, kid, clock.now()));
}
