import { type Catalogue, loadCatalogue } from "../../server/src/rest/index.ts";
import type { openDatabase } from "../../server/src/db/index.ts";

type Pool = ReturnType<typeof openDatabase>["service"];

export interface DatabaseDescription {
  readonly catalogue: Catalogue;
  /** Values of columns with an enumeration, by `<table>.<column>`. */
  readonly closedLists: ReadonlyMap<string, readonly string[]>;
  /** Columns that users cannot change in an existing row, by table. */
  readonly frozen: ReadonlyMap<string, ReadonlySet<string>>;
  mayWrite(table: string, right: "insert" | "update"): boolean;
}

const SCHEMA = "public";

/** The input for the table types, read from a migrated database. */
export async function readDatabase(pool: Pool): Promise<DatabaseDescription> {
  const catalogue = await loadCatalogue(pool, [SCHEMA]);
  const checks = await pool.query<{ table: string; definition: string }>(
    `select c.relname as table, pg_get_constraintdef(con.oid, true) as definition
     from pg_constraint con join pg_class c on c.oid = con.conrelid
     where con.contype = 'c' and c.relnamespace = to_regnamespace($1)`,
    [SCHEMA],
  );
  const guards = await pool.query<{ table: string; columns: string[] }>(
    `select c.relname as table, string_to_array(trim(trailing E'\\\\000' from encode(t.tgargs, 'escape')), E'\\\\000') as columns
     from pg_trigger t join pg_class c on c.oid = t.tgrelid join pg_proc p on p.oid = t.tgfoid
     where p.proname in ('reject_change', 'reject_transfer') and c.relnamespace = to_regnamespace($1)`,
    [SCHEMA],
  );
  const rights = await pool.query<{ table: string; rights: string[] }>(
    `select c.relname as table, array_remove(array[
       case when has_table_privilege('authenticated', c.oid, 'insert') then 'insert' end,
       case when has_table_privilege('authenticated', c.oid, 'update') then 'update' end], null) as rights
     from pg_class c where c.relkind in ('r', 'p') and c.relnamespace = to_regnamespace($1)`,
    [SCHEMA],
  );
  const frozen = new Map<string, Set<string>>();
  for (const { table, columns } of guards.rows) frozen.set(table, new Set([...(frozen.get(table) ?? []), ...columns]));
  const written = new Map(rights.rows.map((row) => [row.table, row.rights]));
  return {
    catalogue,
    closedLists: new Map(checks.rows.flatMap(({ table, definition }) => readClosedList(table, definition))),
    frozen,
    mayWrite: (table, right) => written.get(table)?.includes(right) ?? false,
  };
}

function readClosedList(table: string, definition: string): [string, readonly string[]][] {
  const [, column, list] = /^CHECK \((\w+) (?:= ANY \(|<@ )ARRAY\[([^\]]+)\]\)?\)$/.exec(definition) ?? [];
  if (column === undefined || list === undefined) return [];
  return [[`${table}.${column}`, [...list.matchAll(/'([^']*)'::text/g)].map(([, value]) => value ?? "")]];
}
