import { randomUUID } from "node:crypto";
import type { AuthContext } from "../auth-context.ts";
import type { AuthCall } from "../call.ts";
import { inTransaction, type Queryable } from "../../db/index.ts";
import { deleteSessions, insertSession, selectLiveSessions } from "../sql/sessions.ts";
import { deleteAccount, lockUser, selectWholeUser, updateUser } from "../sql/users.ts";
import type { UserRow } from "../sql/user-row.ts";
import { makeRefreshKey } from "./refresh-key.ts";
import { renderSession, type SessionBody, type SessionSource, type TokenRequest } from "./render-session.ts";

const USER_AGENT_LENGTH = 500;

interface IssueSession {
  readonly user: UserRow;
  /** The authentication method: password, otp, magiclink, recovery, invite, anonymous, email/signup, email_change … */
  readonly method: string;
  readonly call: Pick<AuthCall, "address" | "userAgent">;
  /** The same sign-in has created the account, which goes with a session that is taken back, as if it were one transaction. */
  readonly isNew?: boolean;
}

/** A session that is stored. Its tokens are made after the commit, because a hook that is asked for claims can take long. */
export interface IssuedSession extends SessionSource {
  readonly request: TokenRequest;
  /** Takes the session back when its tokens are refused. */
  undo(client: Queryable): Promise<void>;
}

/** Runs the work in a transaction, and returns the session that it has issued, with tokens. */
export async function openSession(
  context: AuthContext,
  work: (client: Queryable) => Promise<IssuedSession>,
): Promise<SessionBody> {
  return finishSession(context, await inTransaction(context.pool, work));
}

export async function finishSession(context: AuthContext, { undo, ...issued }: IssuedSession): Promise<SessionBody> {
  try {
    return await renderSession(context, issued, issued.request);
  } catch (error) {
    // The client gets the reason for which there are no tokens, and not that of a failure here.
    await inTransaction(context.pool, undo).catch(() => {});
    throw error;
  }
}

/** Creates a session. Runs in the caller's transaction, so that both are committed or rolled back together. */
export async function issueSession(
  context: AuthContext,
  client: Queryable,
  { user, method, call, isNew = false }: IssueSession,
): Promise<IssuedSession> {
  const now = context.clock.now();
  const id = randomUUID();
  const { refreshKey, wrapped } = makeRefreshKey(id, context.masterKey);
  const { authSessionTtlSeconds } = context.settings;
  const session = await insertSession(client, {
    id,
    user_id: user.id,
    aal: "aal1",
    amr: [{ method, timestamp: Math.floor(now.getTime() / 1000) }],
    refresh_key_wrapped: wrapped,
    not_after: authSessionTtlSeconds > 0 ? new Date(now.getTime() + authSessionTtlSeconds * 1000) : null,
    proven_at: now,
    user_agent: call.userAgent?.slice(0, USER_AGENT_LENGTH) ?? null,
    ip: call.address,
  });
  const row = await updateUser(client, user.id, { last_sign_in_at: now });
  return {
    session,
    refreshKey,
    user: await selectWholeUser(client, row),
    request: { method, address: call.address },
    undo: async (later) => {
      await lockUser(later, user.id);
      await deleteSessions(later, { userId: user.id, only: id });
      if (isNew && (await selectLiveSessions(later, user.id, 0)).length === 0) await deleteAccount(later, user.id);
    },
  };
}
