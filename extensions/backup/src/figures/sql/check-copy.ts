import type pg from "pg";
import type { Figures } from "../../archive/archive.ts";
import { readTables } from "./read-tables.ts";

/** What differs between the tables of a copy and the figures, one line each. */
export async function compareFigures(client: pg.ClientBase, { tables: expected }: Figures): Promise<readonly string[]> {
  await client.query("begin isolation level repeatable read read only");
  const found = await readTables(client);
  await client.query("commit");
  return Object.entries(expected).flatMap(([name, { rows, checksum }]) => {
    const table = found[name];
    if (table === undefined) return [`${name} is missing in the copy`];
    if (table.rows !== rows) return [`${name} has ${table.rows} rows in the copy, and had ${rows}`];
    return table.checksum === checksum ? [] : [`${name} has the same number of rows in the copy, but other values`];
  });
}

/**
 * Checks every table and B-tree of a copy with amcheck; null without that extension. Throws at the first one that is damaged.
 */
export async function checkCopy(
  client: pg.ClientBase,
): Promise<{ readonly tables: number; readonly indexes: number } | null> {
  const { rows: available } = await client.query(
    "select from pg_catalog.pg_available_extensions where name = 'amcheck'",
  );
  if (available.length === 0) return null;
  await client.query("create schema swarmbase_verification");
  await client.query("create extension amcheck with schema swarmbase_verification");
  const { rows: indexes } = await client.query<{ n: string }>(
    `select count(swarmbase_verification.bt_index_check(c.oid, true)::text) as n
     from pg_catalog.pg_index i join pg_catalog.pg_class c on c.oid = i.indexrelid
       join pg_catalog.pg_am a on a.oid = c.relam
     where a.amname = 'btree' and c.relkind = 'i' and i.indisvalid and c.relpersistence = 'p'`,
  );
  const { rows: faults } = await client.query<{ name: string; msg: string }>(
    `select c.oid::regclass::text as name, v.msg
     from pg_catalog.pg_class c, lateral swarmbase_verification.verify_heapam(c.oid) v
     where c.relkind in ('r', 'm', 't') and c.relpersistence = 'p' limit 1`,
  );
  const [fault] = faults;
  if (fault !== undefined) throw new Error(`The table ${fault.name} is damaged in the copy: ${fault.msg}`);
  const { rows: tables } = await client.query<{ n: string }>(
    "select count(*) as n from pg_catalog.pg_class where relkind in ('r', 'm', 't') and relpersistence = 'p'",
  );
  return { tables: Number(tables[0]?.n), indexes: Number(indexes[0]?.n) };
}
