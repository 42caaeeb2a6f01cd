import pg from "pg";
import type { Instance } from "./instance.ts";

/** Makes the last proof of the user in all sessions two days old. */
export async function ageSessions({ database_url: connectionString }: Instance, userId: string): Promise<void> {
  const client = new pg.Client({ connectionString });
  await client.connect();
  try {
    await client.query("update auth.sessions set proven_at = now() - interval '2 days' where user_id = $1", [userId]);
  } finally {
    await client.end();
  }
}
