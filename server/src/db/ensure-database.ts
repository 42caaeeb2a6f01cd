import pg from "pg";
import { withClient } from "./connect-client.ts";

/** An interrupted first start may have left the server without the database, so every start checks. */
export async function ensureDatabase(serverUrl: string, name: string): Promise<void> {
  await withClient(serverUrl, async (client) => {
    const { rows } = await client.query("select from pg_catalog.pg_database where datname = $1", [name]);
    // The name cannot be a parameter of this statement, so it is quoted.
    if (rows.length === 0) await client.query(`create database ${pg.escapeIdentifier(name)} encoding 'UTF8'`);
  });
}
