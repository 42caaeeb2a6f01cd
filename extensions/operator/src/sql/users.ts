import type { Query } from "swarmbase/extension";

export const USER_STATES = ["all", "disabled", "unconfirmed", "operators"] as const;
type UserState = (typeof USER_STATES)[number];

/** The columns of an account that operators see. Hashes and other credentials are none of them. */
export interface UserRow {
  readonly id: string;
  readonly email: string | null;
  readonly created_at: Date;
  /** `created_at` in microseconds since 1970, which a Date does not have. */
  readonly position: string;
  readonly last_sign_in_at: Date | null;
  readonly email_confirmed_at: Date | null;
  readonly invited_at: Date | null;
  readonly banned_until: Date | null;
  readonly is_anonymous: boolean;
  readonly is_operator: boolean;
  readonly has_second_factor: boolean;
}

const COLUMNS = `
  u.id, u.email, u.created_at, (extract(epoch from u.created_at) * 1000000)::bigint::text as position, u.last_sign_in_at, u.email_confirmed_at, u.invited_at,
  case when u.banned_until > now() then u.banned_until end as banned_until, u.is_anonymous,
  exists (select from ext_operator.operators o where o.user_id = u.id) as is_operator,
  exists (select from auth.mfa_factors f
           where f.user_id = u.id and f.status = 'verified' and f.factor_type <> 'recovery_code') as has_second_factor`;

export interface UserFilter {
  /** Part of the e-mail address, or the id. */
  readonly search: string | null;
  readonly state: UserState;
  /** The user after whom the page begins. */
  readonly after: Pick<UserRow, "position" | "id"> | null;
  readonly limit: number;
}

/** The newest first. */
export function selectUsers(query: Query, { search, state, after, limit }: UserFilter): Promise<readonly UserRow[]> {
  return query<UserRow>(
    `select ${COLUMNS}
       from auth.users u
      where u.deleted_at is null
        and ($1::text is null or strpos(u.email, lower($1)) > 0 or u.id::text = lower($1))
        and ($2::bigint is null
             or (u.created_at, u.id) < ('epoch'::timestamptz + $2::bigint * interval '1 microsecond', $3::uuid))
        and case $4::text
              when 'disabled' then u.banned_until > now()
              when 'unconfirmed' then u.email_confirmed_at is null
              when 'operators' then exists (select from ext_operator.operators o where o.user_id = u.id)
              else true
            end
      order by u.created_at desc, u.id desc
      limit $5`,
    [search, after?.position ?? null, after?.id ?? null, state, limit],
  );
}

export async function findUser(query: Query, id: string): Promise<UserRow | null> {
  const text = `select ${COLUMNS} from auth.users u where u.id = $1 and u.deleted_at is null`;
  return (await query<UserRow>(text, [id]))[0] ?? null;
}

export interface SessionRow {
  readonly id: string;
  readonly created_at: Date;
  readonly last_seen_at: Date;
  readonly user_agent: string | null;
  readonly ip: string | null;
  readonly aal: string;
}

const MAX_SESSIONS = 50;

/** The latest first; those that have not expired. */
export function selectSessions(query: Query, userId: string): Promise<readonly SessionRow[]> {
  return query<SessionRow>(
    `select s.id, s.created_at, coalesce(s.refreshed_at, s.created_at) as last_seen_at, s.user_agent,
            host(s.ip) as ip, s.aal
       from auth.sessions s
      where s.user_id = $1 and s.api_key_hash is null and (s.not_after is null or s.not_after > now())
      order by last_seen_at desc, s.id
      limit ${MAX_SESSIONS}`,
    [userId],
  );
}

export interface FactorRow {
  readonly id: string;
  readonly friendly_name: string | null;
  readonly factor_type: string;
  readonly status: string;
  readonly created_at: Date;
}

export function selectFactors(query: Query, userId: string): Promise<readonly FactorRow[]> {
  return query<FactorRow>(
    `select f.id, f.friendly_name, f.factor_type, f.status, f.created_at
       from auth.mfa_factors f where f.user_id = $1 order by f.created_at, f.id`,
    [userId],
  );
}

/** Numbers as text, because they can be larger than a number of JavaScript. */
export interface LimitsRow {
  readonly daily_token_budget: string | null;
  readonly daily_cost_budget_usd: string | null;
  /** By an operator; the user cannot change them. */
  readonly imposed_daily_token_budget: string | null;
  readonly imposed_daily_cost_budget_usd: string | null;
  readonly imposed_daily_runs: string | null;
  readonly tokens_today: string;
  readonly cost_today_usd: string;
  /** Those that have called a model. */
  readonly runs_today: string;
}

/** The budgets and imposed limits of a user, and what the day (UTC) has used of them. */
export async function findLimits(query: Query, userId: string): Promise<LimitsRow | null> {
  const [row] = await query<LimitsRow>(
    `select s.daily_token_budget::text, s.daily_cost_budget_usd::text, s.imposed_daily_token_budget::text,
            s.imposed_daily_cost_budget_usd::text, s.imposed_daily_runs::text,
            coalesce(sum(r.input_tokens + r.output_tokens), 0)::text as tokens_today,
            coalesce(sum(r.cost_usd), 0)::text as cost_today_usd, count(distinct r.run_id)::text as runs_today
       from public.user_settings s
       left join public.usage_records r
         on r.payer_id = s.user_id and r.created_at >= date_trunc('day', now(), 'UTC')
      where s.user_id = $1
      group by s.user_id`,
    [userId],
  );
  return row ?? null;
}
