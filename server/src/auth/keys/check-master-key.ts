import type { ClientBase } from "pg";
import { openSigningKey } from "./open-signing-key.ts";
import { hasSigningKeysTable } from "./sql/has-signing-keys-table.ts";
import { selectSigningKeys } from "./sql/select-signing-keys.ts";

/**
 * Before anything is changed: a node with a wrong master key would give the login roles new passwords on its way to
 * finding out, and so lock out the nodes that have the right one. Leaves the session as the schema's owner.
 */
export async function checkMasterKey(client: ClientBase, masterKey: string): Promise<void> {
  if (!(await hasSigningKeysTable(client))) return;
  await client.query("set role swarmbase_owner");
  const rows = await selectSigningKeys(client, "access_token");
  const newest = rows.find(({ private_key_wrapped: wrapped }) => wrapped !== null);
  if (newest !== undefined) openSigningKey(newest, masterKey);
}
