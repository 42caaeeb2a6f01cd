import pg from "pg";
import type { Service } from "./service.ts";

/** Runs SQL as the owner of the schema, which is how operators add what is theirs. */
export async function runSql({ credentials }: Service, text: string): Promise<void> {
  const client = new pg.Client({ connectionString: credentials.database_url });
  await client.connect();
  try {
    await client.query(text);
  } finally {
    await client.end();
  }
}
