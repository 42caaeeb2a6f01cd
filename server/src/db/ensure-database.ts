import { connectClient } from "./connect-client.ts";
import { createDatabase } from "./sql/create-database.ts";
import { hasDatabase } from "./sql/has-database.ts";

/** An interrupted first start may have left the server without the database, so every start checks. */
export async function ensureDatabase(serverUrl: string, name: string): Promise<void> {
  const client = await connectClient(serverUrl);
  try {
    if (!(await hasDatabase(client, name))) await createDatabase(client, name);
  } finally {
    await client.end();
  }
}
