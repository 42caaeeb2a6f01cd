import pg from "pg";
import type { TableFigures } from "../../archive/archive.ts";

/** The text of a row must not depend on the settings of the server. */
const SETTINGS = {
  timezone: "UTC",
  datestyle: "ISO",
  intervalstyle: "postgres",
  extra_float_digits: "1",
  bytea_output: "hex",
  // A policy that would hide rows is an error instead.
  row_security: "off",
  search_path: "pg_catalog",
  statement_timeout: "0",
  idle_in_transaction_session_timeout: "0",
} as const;

/** Unlike a letter, no column has this name, which would take precedence over the row. */
const ROW = "swarmbase_whole_row";

/** The rows and a checksum of every table that is recovered from the WAL. Runs in a transaction of the caller. */
export async function readTables(client: pg.ClientBase): Promise<Readonly<Record<string, TableFigures>>> {
  for (const [name, value] of Object.entries(SETTINGS)) await client.query(`set local ${name} = '${value}'`);
  const { rows } = await client.query<{ schema: string; name: string }>(
    `select n.nspname as schema, c.relname as name
     from pg_class c join pg_namespace n on n.oid = c.relnamespace
     where c.relkind in ('r', 'm') and c.relispopulated and c.relpersistence = 'p' and n.nspname not like 'pg\\_%' and n.nspname <> 'information_schema'
       and has_schema_privilege(n.oid, 'usage') and has_table_privilege(c.oid, 'select')
     order by n.nspname, c.relname`,
  );
  const tables: Record<string, TableFigures> = {};
  for (const { schema, name } of rows) {
    const { rows: figures } = await client.query<{ count: string; checksum: string }>(
      `select count(*)::text as count, coalesce(sum(hashtextextended(${ROW}::text, 0)), 0)::text as checksum
       from only ${pg.escapeIdentifier(schema)}.${pg.escapeIdentifier(name)} as ${ROW}`,
    );
    const [row] = figures;
    if (row !== undefined) tables[`${schema}.${name}`] = { rows: row.count, checksum: row.checksum };
  }
  return tables;
}

export async function selectPlace(client: pg.ClientBase): Promise<{ readonly database: string; readonly at: Date }> {
  const { rows } = await client.query<{ database: string; at: Date }>(
    "select pg_catalog.current_database() as database, pg_catalog.clock_timestamp() as at",
  );
  const [row] = rows;
  if (row === undefined) throw new Error("the database did not tell its name");
  return row;
}
