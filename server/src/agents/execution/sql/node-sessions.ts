import type pg from "pg";

/** Where nodes notify each other of runs. */
export const RUN_CHANNEL = "swarmbase_runs";
/** The payload that has other nodes look for runs. */
export const WAITING = "waiting";

/** Shows other nodes that this one lives, until the connection ends. Shared: an earlier connection may not have ended yet. */
export async function holdSession(client: pg.ClientBase, owner: string): Promise<void> {
  await client.query("select pg_advisory_lock_shared(private.get_session_key($1))", [owner]);
}

export interface OtherNode {
  readonly owner: string;
  /** The latest of its leases. */
  readonly expires_at: string;
  /** It has no session. */
  readonly is_silent: boolean;
}

/** The other nodes that hold runs. */
export async function selectOtherNodes(pool: pg.Pool, owner: string): Promise<OtherNode[]> {
  const { rows } = await pool.query<OtherNode>({
    name: "agents-other-nodes",
    text: `select l.owner, max(l.expires_at)::text as expires_at,
             private.get_session_key(l.owner) <> all ((select private.list_session_keys())::bigint[]) as is_silent
           from private.run_leases l
           where l.expires_at > now() and l.owner <> $1
           group by l.owner`,
    values: [owner],
  });
  return rows;
}
