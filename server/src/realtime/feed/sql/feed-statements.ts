import type pg from "pg";
import type { FeedMessage } from "../row-change.ts";

/** Transactional, because a nontransactional message stays in the WAL buffers until another commit flushes them. */
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
