import type { ClientBase } from "pg";
import type { Clock } from "../../time/index.ts";
import { insertApiKey, selectApiKeys } from "./sql/api-keys.ts";
import { findCurrentSigningKey, hasSigningKeysTable, insertSigningKey, selectSigningKeys } from "./sql/signing-keys.ts";
import { makeApiKey, makeSigningKey } from "./make-keys.ts";
import { KEY_ROLES, openSigningKey, SIGNING_PURPOSES, type SigningPurpose } from "./stored-keys.ts";

interface EnsureKeysOptions {
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
    if (await openCurrentSigningKey(client, purpose, masterKey)) continue;
    const { row } = await makeSigningKey(purpose, masterKey);
    await insertSigningKey(client, { ...row, status: "current" }, now);
    created.push(purpose);
  }

  const signer = await findCurrentSigningKey(client, "role_key");
  if (signer === null) throw new Error("the signing key of role keys is gone");
  const existing = await selectApiKeys(client, now);
  for (const role of KEY_ROLES) {
    if (existing.some((row) => row.role === role && row.revoked_at === null)) continue;
    const privateKey = openSigningKey(signer, masterKey);
    await insertApiKey(client, await makeApiKey({ role, kid: signer.kid, privateKey, masterKey, now }), now);
    created.push(role);
  }
  return { created };
}

/** Detects a wrong master key before it wraps anything new. Returns whether there is a current key. */
export async function openCurrentSigningKey(
  client: ClientBase,
  purpose: SigningPurpose,
  masterKey: string,
): Promise<boolean> {
  const current = await findCurrentSigningKey(client, purpose);
  if (current !== null) openSigningKey(current, masterKey);
  return current !== null;
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
