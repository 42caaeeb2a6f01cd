import type { Queryable } from "../../auth-context.ts";

export interface LiveSession {
  readonly id: string;
  readonly created_at: Date;
  readonly last_seen_at: Date;
  readonly user_agent: string | null;
  readonly ip: string | null;
  readonly aal: "aal1" | "aal2";
}

const MOST = 200;

/** Those that a request would still be let in with, the latest first. */
export async function selectLiveSessions(
  client: Queryable,
  userId: string,
  inactivitySeconds: number,
): Promise<LiveSession[]> {
  const { rows } = await client.query<LiveSession>(
    `select id, created_at, coalesce(refreshed_at, created_at) as last_seen_at, user_agent, host(ip) as ip, aal
       from auth.sessions
      where user_id = $1
        and (not_after is null or not_after > now())
        and ($2::int = 0 or coalesce(refreshed_at, created_at) + make_interval(secs => $2::int) > now())
      order by last_seen_at desc, id
      limit ${MOST}`,
    [userId, inactivitySeconds],
  );
  return rows;
}
