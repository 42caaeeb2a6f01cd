import { randomUUID } from "node:crypto";
import type { AuthContext } from "../auth-context.ts";
import type { Queryable } from "../sql/query.ts";
import type { AuthCall } from "../call.ts";
import { insertSession } from "../sql/sessions.ts";
import { selectWholeUser, updateUser } from "../sql/users.ts";
import type { UserRow } from "../sql/user-row.ts";
import { makeRefreshKey } from "./refresh-key.ts";
import { renderSession, type SessionBody } from "./render-session.ts";

const USER_AGENT_LENGTH = 500;

export interface IssueSession {
  readonly user: UserRow;
  /** The authentication method: password, otp, magiclink, recovery, invite, anonymous, email/signup, email_change … */
  readonly method: string;
  readonly call: Pick<AuthCall, "address" | "userAgent">;
}

/** Creates a session. Runs in the caller's transaction, so that both are committed or rolled back together. */
export async function issueSession(
  context: AuthContext,
  client: Queryable,
  { user, method, call }: IssueSession,
): Promise<SessionBody> {
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
  return renderSession(context, { session, refreshKey, user: await selectWholeUser(client, row) });
}
