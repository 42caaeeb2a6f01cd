import type pg from "pg";
import type { Partition } from "../plan-partitions.ts";

interface FoundPartitions {
  readonly partitions: readonly Partition[];
  /** The names of those whose detachment was cancelled. */
  readonly pending: readonly string[];
  /** How many are detached and not dropped. */
  readonly detached: number;
  /** Of all rows, without indexes. */
  readonly bytes: number;
  readonly nowMs: number;
}

/** Tables of the schema `partitions` that are none: their detachment is complete. */
const DETACHED = `pg_catalog.pg_class c
  join pg_catalog.pg_class parent on parent.oid = $1::regclass
  where c.relnamespace = pg_catalog.to_regnamespace('partitions') and c.relkind = 'r' and not c.relispartition
    and pg_catalog.starts_with(c.relname, parent.relname || '_')`;

export async function selectPartitions(db: pg.Pool | pg.Client, table: string): Promise<FoundPartitions> {
  const { rows } = await db.query<{
    name: string;
    lower_id: string | null;
    upper_id: string | null;
    is_pending: boolean;
    detached: number;
    bytes: number;
    now_ms: number;
  }>(
    `select p.partition::text as name, p.lower_id, p.upper_id, p.is_pending, (select count(*)::integer from ${DETACHED}) as detached,
       pg_catalog.pg_relation_size(p.partition)::float8 as bytes, (extract(epoch from now()) * 1000)::float8 as now_ms
     from private.list_partitions($1::regclass) p`,
    [table],
  );
  const kept = rows.filter((row) => !row.is_pending);
  return {
    partitions: kept.map((row) => ({ name: row.name, lowerId: row.lower_id, upperId: row.upper_id })),
    pending: rows.filter((row) => row.is_pending).map(({ name }) => name),
    detached: rows[0]?.detached ?? 0,
    bytes: rows.reduce((sum, { bytes }) => sum + bytes, 0),
    nowMs: rows[0]?.now_ms ?? 0,
  };
}

/** The check that DETACH … CONCURRENTLY leaves has the bounds. */
export async function selectDetached(owner: pg.Client, table: string): Promise<readonly Partition[]> {
  const { rows } = await owner.query<Partition>(
    `select c.oid::regclass::text as name, bound.lower as "lowerId", bound.upper as "upperId"
     from (select c.oid from ${DETACHED}) as c
     cross join lateral (
       select substring(found.text, '>= ''([^'']+)''') as lower, substring(found.text, '< ''([^'']+)''') as upper
       from (select pg_catalog.pg_get_constraintdef(k.oid) as text from pg_catalog.pg_constraint k
             where k.conrelid = c.oid and k.contype = 'c') as found
       where found.text ~ 'IS NOT NULL' and found.text ~ '< ''') as bound`,
    [table],
  );
  return rows;
}

// The names come from the catalogue, as PostgreSQL quotes them.
export const DETACH = (table: string, name: string): string =>
  `alter table ${table} detach partition ${name} concurrently`;
export const FINALIZE = (table: string, name: string): string =>
  `alter table ${table} detach partition ${name} finalize`;
export const ATTACH = (table: string, { name, lowerId, upperId }: Partition): string =>
  `alter table ${table} attach partition ${name} for values from (${lowerId === null ? "minvalue" : `'${lowerId}'`}) to ('${upperId}')`;
export const DROP = (name: string): string => `drop table ${name}`;
export const VALIDATE = (name: string): string => `alter table ${name} validate constraint partition_bound`;
