import type { SwarmRole } from "@swarmbase/sdk";
import type pg from "pg";

export type OwnedTable = "agents" | "webhooks" | "tools" | "swarms";

const OWNERS: Readonly<Record<OwnedTable, string>> = {
  agents: "select id, user_id as owner_id from public.agents where id = any ($1::uuid[])",
  webhooks: "select id, user_id as owner_id from public.webhooks where id = any ($1::uuid[])",
  tools: "select id, owner_id from public.tools where id = any ($1::uuid[])",
  swarms: "select id, owner_id from public.swarms where id = any ($1::uuid[])",
};

/** The membership of a user in a swarm. */
export type Membership = "stranger" | "invited" | SwarmRole;

/** An invitation by e-mail counts for the user who has proven the address. */
const MEMBERSHIP = `
  select coalesce(
    (select case m.status when 'active' then m.role else 'invited' end
       from public.swarm_members m
      where m.swarm_id = s.id
        and (m.user_id = $2
             or (m.user_id is null and m.invited_email = (
                   select u.email from auth.users u
                    where u.id = $2 and u.proven_email = u.email and u.deleted_at is null)))
      order by m.status limit 1), 'stranger') as membership
    from public.swarms s where s.id = $1`;

const IS_MEMBER = `exists (select 1 from public.swarm_members m
                          where m.swarm_id = it.swarm_id and m.user_id = $2 and m.status = 'active')`;

/** Whether the caller may read a row and whether the caller owns it. A deleted message counts as missing. */
const TARGETS = {
  swarms: `
    select it.id as swarm_id, it.owner_id = $2 as is_own, null as state,
           exists (select 1 from public.swarm_members m
                    where m.swarm_id = it.id and m.user_id = $2 and m.status = 'active') as is_seen
      from public.swarms it where it.id = $1`,
  swarm_members: `
    select it.swarm_id, it.user_id is not distinct from $2 as is_own, it.role as state,
           it.user_id is not distinct from $2 or ${IS_MEMBER} as is_seen
      from public.swarm_members it where it.id = $1`,
  swarm_agents: `
    select it.swarm_id, a.user_id = $2 as is_own, null as state, ${IS_MEMBER} as is_seen
      from public.swarm_agents it join public.agents a on a.id = it.agent_id where it.id = $1`,
  messages: `
    select it.swarm_id, it.sender_user_id is not distinct from $2 as is_own, null as state, ${IS_MEMBER} as is_seen
      from public.messages it where it.id = $1 and it.deleted_at is null`,
  message_flags: `
    select it.swarm_id, it.flagged_by is not distinct from $2 as is_own, it.status as state,
           it.flagged_by is not distinct from $2
           or exists (select 1 from public.swarm_members m
                       where m.swarm_id = it.swarm_id and m.user_id = $2 and m.status = 'active'
                         and m.role in ('owner', 'admin')) as is_seen
      from public.message_flags it where it.id = $1`,
  read_positions: `
    select it.swarm_id, it.user_id = $2 as is_own, null as state, it.user_id = $2 as is_seen
      from public.read_positions it where it.id = $1`,
  guardrails: `
    select it.swarm_id, a.user_id is not distinct from $2 as is_own, null as state,
           a.user_id is not distinct from $2
           or exists (select 1 from public.swarm_members m
                       where m.swarm_id = it.swarm_id and m.user_id = $2 and m.status = 'active'
                         and m.role in ('owner', 'admin')) as is_seen
      from public.guardrails it left join public.agents a on a.id = it.agent_id where it.id = $1`,
  tools: `
    select null as swarm_id, it.owner_id is not distinct from $2 as is_own,
           case when it.owner_id is null then 'public' else it.visibility end as state,
           it.owner_id is null or it.owner_id = $2 or it.visibility = 'public'
           or (it.visibility = 'shared'
               and exists (select 1 from public.swarm_members mine
                             join public.swarm_members other on other.swarm_id = mine.swarm_id and other.status = 'active'
                            where mine.user_id = $2 and mine.status = 'active' and other.user_id = it.owner_id)) as is_seen
      from public.tools it where it.id = $1`,
} as const;

type SharedTable = keyof typeof TARGETS;

export interface TargetRow {
  /** Null for rows without a swarm. */
  readonly swarm_id: string | null;
  readonly is_own: boolean;
  readonly is_seen: boolean;
  /** The role of a membership, the status of a flag, who may see a tool. */
  readonly state: string | null;
}

export function isSharedTable(name: string): name is SharedTable {
  return Object.hasOwn(TARGETS, name);
}

export type Owners = ReturnType<typeof createOwners>;

/**
 * Lookups that bypass row-level rules, to distinguish rows of others from missing ones. The pool must be that of the service, which
 * sees all rows.
 */
export function createOwners(pool: pg.Pool) {
  return {
    /** By id, of those that exist; null for a row without an owner. */
    async find(table: OwnedTable, ids: readonly string[]): Promise<ReadonlyMap<string, string | null>> {
      if (ids.length === 0) return new Map();
      const { rows } = await pool.query<{ id: string; owner_id: string | null }>(OWNERS[table], [ids]);
      return new Map(rows.map(({ id, owner_id }) => [id, owner_id]));
    },
    /** Null when there is no such swarm. */
    async findMembership(swarmId: string, userId: string): Promise<Membership | null> {
      const { rows } = await pool.query<{ membership: Membership }>(MEMBERSHIP, [swarmId, userId]);
      return rows[0]?.membership ?? null;
    },
    /** Null when there is no such row. */
    async findTarget(table: SharedTable, id: string, userId: string): Promise<TargetRow | null> {
      const { rows } = await pool.query<TargetRow>(TARGETS[table], [id, userId]);
      return rows[0] ?? null;
    },
  };
}
