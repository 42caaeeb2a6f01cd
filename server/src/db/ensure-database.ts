import { connectClient } from "./connect-client.ts";
import { createDatabase } from "./sql/create-database.ts";
import { hasDatabase } from "./sql/has-database.ts";

/** A start that was interrupted may have left the server without it, so every start looks. */
export async function ensureDatabase(serverUrl: string, name: string): Promise<void> {
  const client = await connectClient(serverUrl);
  try {
    if (!(await hasDatabase(client, name))) await createDatabase(client, name);
  } finally {
    await client.end();
  }
}
