import type { FactorRow, IdentityRow, UserRow, WholeUser } from "./user-row.ts";
import type { Queryable } from "../../db/index.ts";
import { findRow } from "./query.ts";

interface LivenessQuery {
  readonly userId: string;
  readonly sessionId: string | null;
  readonly now: Date;
  readonly inactivitySeconds: number;
}

export interface Liveness {
  readonly is_banned: boolean;
  readonly has_session: boolean;
  readonly lacks_second_factor: boolean;
  readonly is_anonymous: boolean;
  readonly proven_at: Date | null;
  readonly requires_body_signature: boolean;
  readonly requires_message_signature: boolean;
  /** Set by `selectLiveUser`. */
  readonly user?: WholeUser;
}

export type SelectLiveness = (client: Queryable, query: LivenessQuery) => Promise<Liveness | null>;

/** The rules are those of the functions that the scope statement calls. */
const COLUMNS = `coalesce(u.banned_until > $3, false) as is_banned,
                  $2::uuid is null or s.id is not null as has_session,
                  case when s.id is null
                       then exists (select from auth.mfa_factors f where f.user_id = u.id and f.status = 'verified')
                       else s.requires_aal2 and s.aal = 'aal1' end as lacks_second_factor,
                  u.is_anonymous, s.proven_at,
                  coalesce(p.require_request_signature, false) as requires_body_signature,
                  coalesce(p.require_message_signature, false) as requires_message_signature`;
const ROWS = `from auth.users u
             left join public.user_settings p on p.user_id = u.id
             left join auth.sessions s
               on s.id = $2
              and s.user_id = u.id
              and (s.not_after is null or s.not_after > $3)
              and ($4::int = 0 or coalesce(s.refreshed_at, s.created_at) + pg_catalog.make_interval(secs => $4) > $3)
            where u.id = $1
              and u.deleted_at is null`;

/** Returns null when the user does not exist. */
export const selectLiveness: SelectLiveness = (client, query) =>
  findRow(client, { name: "select-liveness", text: `select ${COLUMNS} ${ROWS}`, values: listValues(query) });

interface LiveUserRow extends Omit<Liveness, "user"> {
  readonly user: Columns;
  readonly identities: readonly Columns[];
  readonly factors: readonly Columns[];
}

type Columns = Readonly<Record<string, unknown>>;

/** The same with the user, in one round trip: clients read their user with every page they render. */
export const selectLiveUser: SelectLiveness = async (client, query) => {
  const found = await findRow<LiveUserRow>(client, {
    name: "select-live-user",
    text: `select ${COLUMNS},
                  to_json(u) as user,
                  coalesce((select json_agg(i order by i.created_at, i.id)
                              from auth.identities i where i.user_id = u.id), '[]') as identities,
                  coalesce((select json_agg(f order by f.created_at, f.id)
                              from auth.mfa_factors f where f.user_id = u.id), '[]') as factors
             ${ROWS}`,
    values: listValues(query),
  });
  if (found === null) return null;
  const { user, identities, factors, ...liveness } = found;
  return {
    ...liveness,
    user: {
      row: reviveRow<UserRow>(user),
      identities: identities.map(reviveRow<IdentityRow>),
      factors: factors.map(reviveRow<FactorRow>),
    },
  };
};

function listValues({ userId, sessionId, now, inactivitySeconds }: LivenessQuery): unknown[] {
  return [userId, sessionId, now, inactivitySeconds];
}

/** Converts JSON values to what the driver returns for the same columns. */
function reviveRow<Row>(columns: Columns): Row {
  const revived: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(columns)) revived[name] = reviveValue(name, value);
  return revived as Row;
}

function reviveValue(name: string, value: unknown): unknown {
  // A bigint, which the driver returns as text.
  if (name === "last_used_step" && typeof value === "number") return String(value);
  if (typeof value !== "string") return value;
  if (name.endsWith("_at") || name === "banned_until") return new Date(value);
  return name.endsWith("_wrapped") ? Buffer.from(value.slice(2), "hex") : value;
}
