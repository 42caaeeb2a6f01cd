import type pg from "pg";
import type { FeedMessage } from "../row-change.ts";

/** Transactional, because the feed ignores others. */
export async function insertMessages(pool: pg.Pool, messages: readonly FeedMessage[]): Promise<void> {
  await pool.query(
    `select pg_catalog.pg_logical_emit_message(true, m.prefix, m.content)
     from rows from (pg_catalog.unnest($1::text[]), pg_catalog.unnest($2::bytea[])) as m (prefix, content)`,
    [messages.map(({ prefix }) => prefix), messages.map(({ content }) => content)],
  );
}

/** The bytes of WAL between its end and the confirmed position of the slot. */
export async function selectLagBytes(pool: pg.Pool, slotName: string): Promise<number> {
  const { rows } = await pool.query<{ lag: string | null }>(
    `select pg_catalog.pg_wal_lsn_diff(pg_catalog.pg_current_wal_lsn(), confirmed_flush_lsn) as lag
     from pg_catalog.pg_replication_slots where slot_name = $1`,
    [slotName],
  );
  return Number(rows[0]?.lag ?? 0);
}

/** The current snapshot, which determines which transactions are visible. */
export async function selectSnapshot(pool: pg.Pool): Promise<string> {
  const { rows } = await pool.query<{ snapshot: string }>("select pg_catalog.pg_current_snapshot()::text as snapshot");
  return rows[0]?.snapshot ?? "";
}

interface CatalogueState {
  /** Why the feed does not include all published tables; null when it does. */
  readonly fault: string | null;
  /** Changes with every change of the policies of private channels and of the functions that they call. */
  readonly rules: string;
}

/** Brings the publication of the feed up to date. */
export async function syncPublication(pool: pg.Pool): Promise<CatalogueState> {
  const { rows } = await pool.query<CatalogueState>(
    `select private.sync_feed_publication() as fault,
       pg_catalog.concat_ws(' ',
         (select c.xmin::text from pg_catalog.pg_class c where c.oid = 'realtime.messages'::pg_catalog.regclass),
         (select pg_catalog.string_agg(p.oid || '.' || p.xmin || coalesce((
            select pg_catalog.string_agg(':' || f.oid || '.' || f.xmin, '' order by f.oid)
            from pg_catalog.pg_depend d join pg_catalog.pg_proc f on f.oid = d.refobjid
            where d.classid = 'pg_catalog.pg_policy'::pg_catalog.regclass and d.objid = p.oid
              and d.refclassid = 'pg_catalog.pg_proc'::pg_catalog.regclass), ''), ' ' order by p.oid)
          from pg_catalog.pg_policy p where p.polrelid = 'realtime.messages'::pg_catalog.regclass)) as rules`,
  );
  return rows[0] ?? { fault: null, rules: "" };
}
