import type pg from "pg";

/** Answers with the number by which the server knows this connection, to tell own notices from those of others. */
export async function listenForRuns(client: pg.Client): Promise<number> {
  await client.query("listen swarmbase_runs");
  const { rows } = await client.query<{ pid: number }>("select pg_backend_pid() as pid");
  return rows[0]?.pid ?? 0;
}

export async function sendRunNotices(client: pg.Client, payloads: readonly string[]): Promise<void> {
  await client.query("select pg_notify('swarmbase_runs', payload) from unnest($1::text[]) as payload", [payloads]);
}
