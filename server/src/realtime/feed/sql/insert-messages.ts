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
