import type { ClientBase } from "pg";
import type { Clock } from "../../time/index.ts";
import { insertApiKey, selectApiKeys } from "../sql/api-keys.ts";
import { insertSigningKey, selectSigningKeys, hasSigningKeysTable } from "../sql/signing-keys.ts";
import { makeApiKey, makeSigningKey } from "./make-keys.ts";
import { openSigningKey, KEY_ROLES, SIGNING_PURPOSES } from "./stored-keys.ts";

export interface EnsureKeysOptions {
  readonly masterKey: string;
  readonly clock: Clock;
}

/**
 * Creates missing keys and keeps existing ones, so that it can be interrupted anywhere and called at every start. The
 * caller holds the migration lock: two nodes at once would create two sets.
 */
export async function ensureKeys(
  client: ClientBase,
  { masterKey, clock }: EnsureKeysOptions,
): Promise<{ created: string[] }> {
  const created: string[] = [];
  const now = clock.now();

  for (const purpose of SIGNING_PURPOSES) {
    const rows = await selectSigningKeys(client, purpose);
    const current = rows.find((row) => row.status === "current");
    if (current !== undefined) {
      // Detects a wrong master key before it wraps anything new.
      openSigningKey(current, masterKey);
      continue;
    }
    const { row } = await makeSigningKey(purpose, masterKey);
    await insertSigningKey(client, { ...row, status: "current" }, now);
    created.push(purpose);
  }

  const signer = (await selectSigningKeys(client, "role_key")).find((row) => row.status === "current");
  if (signer === undefined) throw new Error("the signing key of role keys is gone");
  const existing = await selectApiKeys(client, now);
  for (const role of KEY_ROLES) {
    if (existing.some((row) => row.role === role && row.revoked_at === null)) continue;
    const privateKey = openSigningKey(signer, masterKey);
    await insertApiKey(client, await makeApiKey({ role, kid: signer.kid, privateKey, masterKey, now }), now);
    created.push(role);
  }
  return { created };
}

/**
 * Runs before any change: a node with a wrong master key would reset the passwords of the login roles before it fails,
 * and so lock out the nodes that have the right key. Leaves the session as the schema's owner.
 */
export async function checkMasterKey(client: ClientBase, masterKey: string): Promise<void> {
  if (!(await hasSigningKeysTable(client))) return;
  await client.query("set role swarmbase_owner");
  const rows = await selectSigningKeys(client, "access_token");
  const newest = rows.find(({ private_key_wrapped: wrapped }) => wrapped !== null);
  if (newest !== undefined) openSigningKey(newest, masterKey);
}
