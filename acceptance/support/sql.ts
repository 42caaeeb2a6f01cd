import pg from "pg";
import type { Service } from "./service.ts";

/** Runs SQL as the owner of the schema, as operators do. */
export async function runSql({ credentials }: Service, text: string): Promise<void> {
  if (credentials.database_url === null) throw new Error("The database of this service is not known.");
  const client = new pg.Client({ connectionString: credentials.database_url });
  await client.connect();
  try {
    await client.query(text);
  } finally {
    await client.end();
  }
}
