import type { ClientBase } from "pg";

export async function lockSigningKeys(client: ClientBase): Promise<void> {
  await client.query("lock table private.signing_keys in share row exclusive mode");
}
