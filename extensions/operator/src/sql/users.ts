import type { Query } from "swarmbase/extension";

export const USER_STATES = ["all", "disabled", "unconfirmed", "operators"] as const;
type UserState = (typeof USER_STATES)[number];

/** What a list can be ordered by, the largest first: a column of `user_days`, summed over the day or the month; null means no sum. */
const ORDERS = {
  created: null,
  requests_today: ["requests", "today"],
  runs_today: ["runs", "today"],
  tokens_today: ["tokens", "today"],
  cost_today: ["cost_usd", "today"],
  requests_month: ["requests", "month"],
  runs_month: ["runs", "month"],
  tokens_month: ["tokens", "month"],
  cost_month: ["cost_usd", "month"],
} as const;
type UserOrder = keyof typeof ORDERS;
export const USER_ORDERS = Object.keys(ORDERS) as readonly UserOrder[];

/** The columns of an account that operators see. Hashes and other credentials are none of them. */
export interface UserRow {
  readonly id: string;
  readonly email: string | null;
  /** Of the profile. */
  readonly name: string | null;
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

/** What the day and the month (UTC) have used. Numbers as text, because they can be larger than a number of JavaScript. */
interface UseRow {
  readonly requests_today: string;
  readonly requests_month: string;
  /** Those that the user pays for and that have called a model. */
  readonly runs_today: string;
  readonly runs_month: string;
  readonly tokens_today: string;
  readonly tokens_month: string;
  readonly cost_today_usd: string;
  readonly cost_month_usd: string;
}

export interface ListedUserRow extends UserRow, UseRow {
  /** What the list is ordered by. */
  readonly figure: string;
}

const TODAY = "(now() at time zone 'UTC')::date";
const MONTH = "date_trunc('month', now() at time zone 'UTC')::date";
/** For a condition on `day` beside one on `user_id`: a lookup in the primary key for each day. */
const DAYS_OF_MONTH = `any (array(select generate_series(${MONTH}, ${TODAY}, '1 day')::date))`;

const COLUMNS = `
  u.id, u.email, p.full_name as name, u.created_at, (extract(epoch from u.created_at) * 1000000)::bigint::text as position, u.last_sign_in_at, u.email_confirmed_at, u.invited_at,
  case when u.banned_until > now() then u.banned_until end as banned_until, u.is_anonymous,
  exists (select from ext_operator.operators o where o.user_id = u.id) as is_operator,
  exists (select from auth.mfa_factors f
           where f.user_id = u.id and f.status = 'verified' and f.factor_type <> 'recovery_code') as has_second_factor`;

const ACCOUNTS = "auth.users u left join public.profiles p on p.id = u.id";

export interface UserFilter {
  /** Part of the e-mail address or of the name, or the id. */
  readonly search: string | null;
  readonly state: UserState;
  readonly order: UserOrder;
  /** The user after whom the page begins. */
  readonly after: Pick<ListedUserRow, "figure" | "position" | "id"> | null;
  readonly limit: number;
}

/** The names of the sums are those of the columns. */
const USED = ["requests", "runs", "tokens", "cost"].flatMap((name) => {
  const [column, end] = name === "cost" ? ["cost_usd", "_usd"] : [name, ""];
  return [
    { name: `${name}_today${end}`, sum: `sum(d.${column}) filter (where d.day = ${TODAY})` },
    { name: `${name}_month${end}`, sum: `sum(d.${column})` },
  ];
});
const USED_TEXTS = USED.map(({ name, sum }) => `trim_scale(coalesce(${sum}, 0))::text as ${name}`).join(", ");

/**
 * Those who have used the most first, and of those who have used as much the newest. `sumUsage` comes before. Only what the list is
 * ordered by is summed for all users; in the order of their creation, an index has the page.
 */
export function selectUsers(
  query: Query,
  { search, state, order, after, limit }: UserFilter,
): Promise<readonly ListedUserRow[]> {
  const ordered = ORDERS[order];
  const { figures, figure, join, position, begin } = ordered === null ? BY_CREATION : byFigure(ordered);
  return query<ListedUserRow>(
    `with ${figures} page as (
       select u.id, ${figure} as figure
         from ${ACCOUNTS} ${join}
        where u.deleted_at is null
          and ($1::text is null or strpos(u.email, lower($1)) > 0 or strpos(lower(p.full_name), lower($1)) > 0
               or u.id::text = lower($1))
          and ($2::bigint is null or (${position}) < (${begin}))
          and case $4::text
                when 'disabled' then u.banned_until > now()
                when 'unconfirmed' then u.email_confirmed_at is null
                when 'operators' then exists (select from ext_operator.operators o where o.user_id = u.id)
                else true
              end
        order by ${figure} desc, u.created_at desc, u.id desc
        limit $5)
     select ${COLUMNS}, page.figure::text as figure, t.*
       from page join auth.users u on u.id = page.id left join public.profiles p on p.id = u.id
      cross join lateral (
        select ${USED_TEXTS} from ext_operator.user_days d where d.user_id = page.id and d.day = ${DAYS_OF_MONTH}) t
      order by page.figure desc, u.created_at desc, u.id desc`,
    [
      search,
      after?.position ?? null,
      after?.id ?? null,
      state,
      limit,
      ...(ordered === null ? [] : [after?.figure ?? null]),
    ],
  );
}

const BY_CREATION = {
  figures: "",
  figure: "0::numeric",
  join: "",
  position: "u.created_at, u.id",
  begin: "'epoch'::timestamptz + $2::bigint * interval '1 microsecond', $3::uuid",
};

function byFigure([column, period]: readonly [column: string, period: "today" | "month"]): typeof BY_CREATION {
  const figure = "coalesce(f.figure, 0)::numeric";
  return {
    // Without "materialized", each of several workers of a statement would make all sums.
    figures: `f as materialized (
       select d.user_id, sum(d.${column}) as figure from ext_operator.user_days d
        where d.day between ${period === "today" ? TODAY : MONTH} and ${TODAY} group by d.user_id),`,
    figure,
    join: "left join f on f.user_id = u.id",
    position: `${figure}, ${BY_CREATION.position}`,
    begin: `$6::numeric, ${BY_CREATION.begin}`,
  };
}

export async function findUser(query: Query, id: string): Promise<UserRow | null> {
  const text = `select ${COLUMNS} from ${ACCOUNTS} where u.id = $1 and u.deleted_at is null`;
  return (await query<UserRow>(text, [id]))[0] ?? null;
}

interface SessionRow {
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

interface FactorRow {
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

interface LimitsRow extends UseRow {
  readonly daily_token_budget: string | null;
  readonly daily_cost_budget_usd: string | null;
  /** By an operator; the user cannot change them. */
  readonly imposed_daily_token_budget: string | null;
  readonly imposed_daily_cost_budget_usd: string | null;
  readonly imposed_daily_runs: string | null;
}

/** The budgets and imposed limits of a user, and what was used. */
export async function findLimits(query: Query, userId: string): Promise<LimitsRow | null> {
  const [row] = await query<LimitsRow>(
    `with d as (
       select (r.created_at at time zone 'UTC')::date as day, 0 as requests, count(distinct r.run_id) as runs,
              sum(r.input_tokens + r.output_tokens) as tokens, sum(r.cost_usd) as cost_usd
         from public.usage_records r
        where r.payer_id = $1 and r.created_at >= date_trunc('month', now(), 'UTC')
        group by 1
       union all
       select q.day, q.requests, 0, 0, 0
         from ext_operator.user_days q
        where q.user_id = $1 and q.day = ${DAYS_OF_MONTH})
     select s.daily_token_budget::text, trim_scale(s.daily_cost_budget_usd)::text as daily_cost_budget_usd,
            s.imposed_daily_token_budget::text,
            trim_scale(s.imposed_daily_cost_budget_usd)::text as imposed_daily_cost_budget_usd,
            s.imposed_daily_runs::text, t.*
       from public.user_settings s
      cross join (select ${USED_TEXTS} from d) t
      where s.user_id = $1`,
    [userId],
  );
  return row ?? null;
}
