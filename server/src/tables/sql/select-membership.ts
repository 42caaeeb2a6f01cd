import type { SwarmRole } from "@swarmbase/sdk";
import type pg from "pg";

/** The membership of a user in a swarm. */
export type Membership = "stranger" | "invited" | SwarmRole;

/** An invitation by e-mail counts for the user who has confirmed the address. */
const STATEMENT = `
  select coalesce(
    (select case m.status when 'active' then m.role else 'invited' end
       from public.swarm_members m
      where m.swarm_id = s.id
        and (m.user_id = $2
             or (m.user_id is null and m.invited_email = (
                   select u.email from auth.users u
                    where u.id = $2 and u.email_confirmed_at is not null and u.deleted_at is null)))
      order by m.status limit 1), 'stranger') as membership
    from public.swarms s where s.id = $1`;

/** Null when there is no such swarm. */
export async function selectMembership(pool: pg.Pool, swarmId: string, userId: string): Promise<Membership | null> {
  const { rows } = await pool.query<{ membership: Membership }>({ text: STATEMENT, values: [swarmId, userId] });
  return rows[0]?.membership ?? null;
}
