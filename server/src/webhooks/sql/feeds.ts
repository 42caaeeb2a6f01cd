import type pg from "pg";

/** One row: the cursor after the last event, how many events retention has deleted, and the events as JSON. */
export const READ_EVENT_FEED = "select * from private.read_event_feed($1, $2, $3, $4, $5)";

export const COMMIT_EVENT_FEED = "select private.commit_event_feed($1, $2, $3)";

/** The last positions of feeds that exist, by the id of the feed. */
export async function selectFeedPositions(
  pool: pg.Pool,
  feedIds: readonly string[],
): Promise<ReadonlyMap<string, number>> {
  const { rows } = await pool.query<{ feed_id: string; position: string }>({
    name: "webhooks-feed-positions",
    text: `select f.id as feed_id, coalesce(p.position, 0) as position
      from public.event_feeds f left join private.event_feed_positions p on p.feed_id = f.id where f.id = any ($1)`,
    values: [feedIds],
  });
  return new Map(rows.map(({ feed_id, position }) => [feed_id, Number(position)]));
}
