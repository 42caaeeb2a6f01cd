import type { Queryable } from "../../auth-context.ts";

/** Sessions that were entered without a second factor, all but the one that has just shown it. */
export async function deleteLowerSessions(client: Queryable, userId: string, except: string): Promise<void> {
  await client.query("delete from auth.sessions where user_id = $1 and id <> $2 and aal = 'aal1'", [userId, except]);
}

/** Sessions that owe their level to this factor fall back to what they were before it was shown. */
export async function downgradeSessions(client: Queryable, factorId: string): Promise<void> {
  await client.query(
    `update auth.sessions
        set aal = 'aal1', factor_id = null, updated_at = now(),
            amr = coalesce((select jsonb_agg(entry order by place)
                              from jsonb_array_elements(amr) with ordinality as entries (entry, place)
                             where entry ->> 'method' <> 'totp'), '[]')
      where factor_id = $1`,
    [factorId],
  );
}
