import type pg from "pg";

export interface LivenessQuestion {
  readonly userId: string;
  readonly sessionId: string | null;
  readonly now: Date;
  readonly inactivitySeconds: number;
}

export interface Liveness {
  readonly is_banned: boolean;
  readonly has_session: boolean;
  readonly is_signature_demanded: boolean;
}

/** Null when there is no such user any more. The rules are those of private.require_live_session. */
export async function selectLiveness(
  client: Pick<pg.ClientBase, "query">,
  { userId, sessionId, now, inactivitySeconds }: LivenessQuestion,
): Promise<Liveness | null> {
  const { rows } = await client.query<Liveness>({
    name: "select-liveness",
    text: `select coalesce(u.banned_until > $3, false) as is_banned,
                  $2::uuid is null or exists (
                    select from auth.sessions s
                     where s.id = $2
                       and s.user_id = u.id
                       and (s.not_after is null or s.not_after > $3)
                       and ($4::int = 0
                            or coalesce(s.refreshed_at, s.created_at) + pg_catalog.make_interval(secs => $4) > $3)
                  ) as has_session,
                  exists (
                    select from public.user_settings p where p.user_id = u.id and p.require_request_signature
                  ) as is_signature_demanded
             from auth.users u
            where u.id = $1
              and u.deleted_at is null`,
    values: [userId, sessionId, now, inactivitySeconds],
  });
  return rows[0] ?? null;
}
