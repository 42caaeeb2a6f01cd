import { inTransaction } from "../../db/index.ts";
import type { AuthContext } from "../auth-context.ts";
import { authError } from "../auth-error.ts";
import type { AuthCall } from "../call.ts";
import { linkIdentity } from "../external/link-identity.ts";
import { openAnswer } from "../external/read-answer.ts";
import { checkVerifier, CODE_BODY, hashAuthCode } from "../one-time/pkce.ts";
import { parseBody } from "../parse-call.ts";
import { finishSession, issueSession } from "../sessions/issue-session.ts";
import type { SessionBody } from "../sessions/render-session.ts";
import { takeFlowState } from "../sql/flow-states.ts";
import { lockUser } from "../sql/users.ts";
import { isBanned } from "../users/account-rules.ts";

/** Ends a PKCE flow: exchanges the authorization code and the verifier for a session. */
export async function exchangeCode(context: AuthContext, call: AuthCall): Promise<SessionBody> {
  const { auth_code: code, code_verifier: verifier } = parseBody(CODE_BODY, call);
  if (code === "" || verifier === "") {
    throw authError("validation_failed", "invalid request: both auth code and code verifier should be non-empty");
  }
  const { issued, tokens } = await inTransaction(context.pool, async (client) => {
    const state = await takeFlowState(client, hashAuthCode(code));
    if (state === null || state.user_id === null) throw authError("flow_state_not_found");
    if (state.expires_at <= context.clock.now()) throw authError("flow_state_expired");
    // The error restores the flow state: somebody who has the code but not the verifier cannot use it up.
    checkVerifier(state, verifier);
    const { id, provider_answer_wrapped: wrapped, authentication_method: method } = state;
    const answer = wrapped === null ? null : openAnswer(context.masterKey, id, wrapped);
    const { tokens = {}, isNew = false, linking = null } = answer ?? {};
    if (linking !== null) return { issued: await linkIdentity(context, client, { ...linking, call }), tokens };
    const user = await lockUser(client, state.user_id);
    if (user === null) throw authError("flow_state_not_found");
    if (isBanned(context, user)) throw authError("user_banned");
    return { issued: await issueSession(context, client, { user, method, call, isNew }), tokens };
  });
  context.mailWakeUp.trigger();
  return { ...(await finishSession(context, issued)), ...tokens };
}
