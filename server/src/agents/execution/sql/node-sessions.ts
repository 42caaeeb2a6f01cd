import type pg from "pg";

/** Where nodes notify each other of runs. */
export const RUN_CHANNEL = "swarmbase_runs";
/** The payload that has other nodes look for runs. */
export const WAITING = "waiting";

/** Shows other nodes that this one lives, until the connection ends. Shared: an earlier connection may not have ended yet. */
export async function holdSession(client: pg.ClientBase, owner: string): Promise<void> {
  await client.query("select pg_advisory_lock_shared(private.get_session_key($1))", [owner]);
}

export interface SilentNode {
  readonly owner: string;
  /** The latest of its leases. */
  readonly expires_at: string;
}

/** The other nodes that hold runs and have no session. */
export async function selectSilentNodes(pool: pg.Pool, owner: string): Promise<SilentNode[]> {
  const { rows } = await pool.query<SilentNode>({
    name: "agents-silent-nodes",
    text: `select l.owner, max(l.expires_at)::text as expires_at from private.run_leases l
           where l.expires_at > now() and l.owner <> $1
             and private.get_session_key(l.owner) <> all ((select private.list_session_keys())::bigint[])
           group by l.owner`,
    values: [owner],
  });
  return rows;
}
