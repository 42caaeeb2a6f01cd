import type pg from "pg";
import type { FeedMessage } from "../row-change.ts";

/** As part of a transaction: one outside of any would wait in the server's buffers for somebody else's commit. */
export async function insertMessages(pool: pg.Pool, messages: readonly FeedMessage[]): Promise<void> {
  await pool.query(
    `select pg_catalog.pg_logical_emit_message(true, m.prefix, m.content)
     from rows from (pg_catalog.unnest($1::text[]), pg_catalog.unnest($2::bytea[])) as m (prefix, content)`,
    [messages.map(({ prefix }) => prefix), messages.map(({ content }) => content)],
  );
}
