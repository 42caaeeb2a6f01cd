import type { SwarmRole } from "@swarmbase/sdk";
import type pg from "pg";

/** What somebody is in a swarm. */
export type Standing = "stranger" | "invited" | SwarmRole;

/** By the ids of the swarms that exist. An invitation by e-mail counts for whoever has confirmed the address. */
const STATEMENT = `
  select s.id, coalesce(seat.standing, 'stranger') as standing
    from public.swarms s
    left join lateral (
      select case m.status when 'active' then m.role else 'invited' end as standing
        from public.swarm_members m
       where m.swarm_id = s.id
         and (m.user_id = $2
              or (m.user_id is null and m.invited_email = (
                    select u.email from auth.users u
                     where u.id = $2 and u.email_confirmed_at is not null and u.deleted_at is null)))
       order by m.status limit 1) as seat on true
   where s.id = any ($1::uuid[])`;

export async function selectStandings(
  pool: pg.Pool,
  swarmIds: readonly string[],
  userId: string,
): Promise<ReadonlyMap<string, Standing>> {
  const { rows } = await pool.query<{ id: string; standing: Standing }>({
    text: STATEMENT,
    values: [swarmIds, userId],
  });
  return new Map(rows.map(({ id, standing }) => [id, standing]));
}
