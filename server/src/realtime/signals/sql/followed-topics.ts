import type pg from "pg";

/** Makes these the followed topics of the node, until the lease ends. Also deletes expired rows of other nodes. */
export async function writeFollowedTopics(
  pool: pg.Pool,
  node: string,
  topics: readonly string[],
  leaseSeconds: number,
): Promise<void> {
  await pool.query(
    `with given as (
       select t.topic from pg_catalog.unnest($2::text[]) as t (topic)
     ), gone as (
       delete from private.followed_topics f
       where f.lease_until < pg_catalog.now()
         or (f.node = $1::uuid and not exists (select 1 from given g where g.topic = f.topic))
     )
     insert into private.followed_topics as f (topic, node, lease_until)
     select g.topic, $1::uuid, pg_catalog.now() + $3 * interval '1 second' from given g
     on conflict (topic, node) do update set lease_until = excluded.lease_until
     where f.lease_until < pg_catalog.now() + $3 * interval '0.5 seconds'`,
    [node, topics, leaseSeconds],
  );
}

/** The oldest transaction that has not ended, and the first that has not begun. */
export async function selectTransactionBounds(pool: pg.Pool): Promise<{ oldest: bigint; next: bigint }> {
  const { rows } = await pool.query<{ oldest: string; next: string }>(
    `select pg_catalog.pg_snapshot_xmin(s) as oldest, pg_catalog.pg_snapshot_xmax(s) as next
     from pg_catalog.pg_current_snapshot() as s`,
  );
  return { oldest: BigInt(rows[0]?.oldest ?? 0), next: BigInt(rows[0]?.next ?? 0) };
}
