import type pg from "pg";

/** Answers with the number by which the server knows this connection, to tell own notices from those of others. */
export async function listenForWork(client: pg.Client): Promise<number> {
  await client.query("listen swarmbase_webhooks");
  const { rows } = await client.query<{ pid: number }>("select pg_backend_pid() as pid");
  return rows[0]?.pid ?? 0;
}

export async function sendNotice(client: pg.Client): Promise<void> {
  await client.query("notify swarmbase_webhooks");
}
