import pg from "pg";

export async function selectBackendPid(client: pg.Client): Promise<number> {
  const { rows } = await client.query<{ pid: number }>("select pg_backend_pid() as pid");
  return rows[0]?.pid ?? 0;
}

/** The connection is busy with the statement, so another one asks for its end. */
export async function cancelStatement(url: string, pid: number): Promise<void> {
  const other = new pg.Client({ connectionString: url, application_name: "swarmbase-command" });
  try {
    await other.connect();
    await other.query("select pg_cancel_backend($1)", [pid]);
  } finally {
    await other.end().catch(() => {});
  }
}
