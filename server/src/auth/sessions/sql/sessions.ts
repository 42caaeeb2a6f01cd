import type { Queryable } from "../../auth-context.ts";
import { getOnly } from "../../users/sql/insert-user.ts";
import type { SessionRow } from "../session-row.ts";

export interface NewSession {
  readonly id: string;
  readonly userId: string;
  readonly aal: SessionRow["aal"];
  readonly amr: SessionRow["amr"];
  readonly refreshKeyWrapped: Buffer;
  readonly notAfter: Date | null;
  readonly userAgent: string | null;
  readonly ip: string | null;
}

export async function insertSession(client: Queryable, session: NewSession): Promise<SessionRow> {
  const { rows } = await client.query<SessionRow>(
    `insert into auth.sessions (id, user_id, aal, amr, refresh_key_wrapped, not_after, user_agent, ip, refreshed_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8, now())
     returning *`,
    [
      session.id,
      session.userId,
      session.aal,
      JSON.stringify(session.amr),
      session.refreshKeyWrapped,
      session.notAfter,
      session.userAgent,
      session.ip,
    ],
  );
  return getOnly(rows);
}

/** Held until the transaction ends, so that refreshes of one session take turns. */
export async function lockSession(client: Queryable, id: string): Promise<SessionRow | null> {
  const { rows } = await client.query<SessionRow>("select * from auth.sessions where id = $1 for no key update", [id]);
  return rows[0] ?? null;
}

export async function findSession(client: Queryable, id: string): Promise<SessionRow | null> {
  const { rows } = await client.query<SessionRow>("select * from auth.sessions where id = $1", [id]);
  return rows[0] ?? null;
}

export type SessionChanges = Partial<
  Pick<SessionRow, "aal" | "amr" | "factor_id" | "refresh_counter" | "refresh_key_wrapped" | "refreshed_at">
>;

export async function updateSession(client: Queryable, id: string, changes: SessionChanges): Promise<SessionRow> {
  const { rows } = await client.query<SessionRow>(
    `update auth.sessions
        set aal = coalesce($2, aal), amr = coalesce($3, amr), factor_id = coalesce($4, factor_id),
            refresh_counter = coalesce($5, refresh_counter), refreshed_at = coalesce($6, refreshed_at),
            refresh_key_wrapped = coalesce($7, refresh_key_wrapped), updated_at = now()
      where id = $1
      returning *`,
    [
      id,
      changes.aal ?? null,
      changes.amr === undefined ? null : JSON.stringify(changes.amr),
      changes.factor_id ?? null,
      changes.refresh_counter ?? null,
      changes.refreshed_at ?? null,
      changes.refresh_key_wrapped ?? null,
    ],
  );
  return getOnly(rows);
}

export interface WhichSessions {
  readonly userId: string;
  /** Ends this one alone. */
  readonly only?: string;
  /** Ends all but this one. */
  readonly except?: string;
}

/** A session that is gone is dead for every node: each request looks for it. */
export async function deleteSessions(client: Queryable, { userId, only, except }: WhichSessions): Promise<void> {
  await client.query(
    `delete from auth.sessions
      where user_id = $1 and ($2::uuid is null or id = $2) and ($3::uuid is null or id <> $3)`,
    [userId, only ?? null, except ?? null],
  );
}
