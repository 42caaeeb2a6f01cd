import pg from "pg";

/** The name cannot be a parameter of this statement, so it is quoted. */
export async function createDatabase(client: pg.ClientBase, name: string): Promise<void> {
  await client.query(`create database ${pg.escapeIdentifier(name)} encoding 'UTF8'`);
}
