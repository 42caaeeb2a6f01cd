import * as z from "zod";
import { inTransaction } from "../../db/index.ts";
import { isBanned } from "../accounts/is-banned.ts";
import { parseBody } from "../accounts/parse-body.ts";
import { authError } from "../auth-error.ts";
import type { AuthAnswer, AuthCall } from "../call.ts";
import type { AuthContext } from "../auth-context.ts";
import { issueSession } from "../sessions/issue-session.ts";
import { lockUser } from "../users/sql/select-user.ts";
import { hashAuthCode, isVerifierOf } from "./pkce.ts";
import { takeFlowState } from "./sql/flow-states.ts";

export const CODE_BODY = z.object({
  auth_code: z.string().max(200).default(""),
  code_verifier: z.string().max(1_000).default(""),
});

/** The end of a PKCE flow: the code that the redirect brought, and the verifier that never left the client. */
export async function exchangeCode(context: AuthContext, call: AuthCall): Promise<AuthAnswer> {
  const { auth_code: code, code_verifier: verifier } = parseBody(CODE_BODY, call);
  if (code === "" || verifier === "") {
    throw authError("validation_failed", "invalid request: both auth code and code verifier should be non-empty");
  }
  const body = await inTransaction(context.pool, async (client) => {
    const state = await takeFlowState(client, hashAuthCode(code));
    if (state === null || state.user_id === null) throw authError("flow_state_not_found");
    if (state.expires_at <= context.clock.now()) throw authError("flow_state_expired");
    const promised = { challenge: state.code_challenge, method: state.code_challenge_method };
    // What is thrown puts the state back: who has the code but not the verifier cannot spoil it for the one who has both.
    if (!isVerifierOf(promised, verifier)) throw authError("bad_code_verifier");
    const user = await lockUser(client, state.user_id);
    if (user === null) throw authError("flow_state_not_found");
    if (isBanned(context, user)) throw authError("user_banned");
    return issueSession(context, client, { user, method: state.authentication_method, call });
  });
  return { status: 200, body, headers: { "cache-control": "no-store" } };
}
