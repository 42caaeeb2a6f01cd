import type { Client } from "pg";

export interface TableSize {
  /** Rows, with values that are stored out of line. */
  readonly table: number;
  readonly indexes: number;
}

/** Bytes on disk, by table. */
export type Sizes = ReadonlyMap<string, TableSize>;

export async function readSizes(sql: Client): Promise<Sizes> {
  const { rows } = await sql.query<{ name: string; table: string; indexes: string }>(
    `select c.relname as name, pg_table_size(c.oid) as table, pg_indexes_size(c.oid) as indexes
     from pg_class c
     where c.relkind = 'r' and c.relnamespace in ('public'::regnamespace, 'private'::regnamespace, 'auth'::regnamespace)`,
  );
  return new Map(rows.map(({ name, table, indexes }) => [name, { table: Number(table), indexes: Number(indexes) }]));
}

/** What was added; tables that have shrunk count as zero. */
export function subtractSizes(later: Sizes, earlier: Sizes): Sizes {
  return new Map(
    [...later].map(([name, { table, indexes }]) => {
      const before = earlier.get(name) ?? { table: 0, indexes: 0 };
      return [name, { table: Math.max(0, table - before.table), indexes: Math.max(0, indexes - before.indexes) }];
    }),
  );
}

export function sumOf(sizes: Sizes): TableSize {
  const all = [...sizes.values()];
  return {
    table: all.reduce((sum, { table }) => sum + table, 0),
    indexes: all.reduce((sum, { indexes }) => sum + indexes, 0),
  };
}
