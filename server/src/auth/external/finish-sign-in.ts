import { randomUUID } from "node:crypto";
import { inTransaction, type Queryable } from "../../db/index.ts";
import type { AuthContext } from "../auth-context.ts";
import { authError } from "../auth-error.ts";
import type { AuthCall, AuthResponse } from "../call.ts";
import { addToFragment, addToQuery, chooseRedirect, redirect, sessionFields } from "../one-time/links.ts";
import { issueAuthCode } from "../one-time/pkce.ts";
import { finishSession, issueSession } from "../sessions/issue-session.ts";
import { insertFlowState } from "../sql/flow-states.ts";
import { findSession } from "../sql/sessions.ts";
import { type SignInFlowRow, takeSignInFlow } from "../sql/sign-in-flows.ts";
import { admitIdentity, OAUTH_METHOD } from "./admit-identity.ts";
import { redirectFailure } from "./answers.ts";
import { linkIdentity } from "./link-identity.ts";
import { type CallbackParameters, readProviderAnswer, sealAnswer, type SealedAnswer } from "./read-provider-answer.ts";
import { hashSecret, readBrowserSecret } from "./sign-in-state.ts";

const PARAMETERS = ["state", "code", "iss", "error", "user"] as const;
const MAX_PARAMETER = 16_384;

/** GET and POST /callback: where the provider sends the browser. Always returns a redirect to the app. */
export async function finishSignIn(context: AuthContext, call: AuthCall): Promise<AuthResponse> {
  const flow = await takeSignInFlow(context.pool, {
    stateHash: hashSecret(readParameters(call).state ?? ""),
    browserHash: hashSecret(readBrowserSecret(call, typeof call.body === "string")),
    now: context.clock.now(),
  });
  if (flow === null) return redirectFailure(chooseRedirect(context, undefined), authError("bad_oauth_state"));
  try {
    return redirect(await follow(context, call, flow));
  } catch (error) {
    return redirectFailure(flow.redirect_to, error);
  }
}

function readParameters({ body, query }: AuthCall): CallbackParameters {
  const posted = typeof body === "string" ? new URLSearchParams(body) : null;
  const given = PARAMETERS.flatMap((name) => {
    const value = posted === null ? query[name] : (posted.get(name) ?? undefined);
    return value === undefined || value.length > MAX_PARAMETER ? [] : [[name, value]];
  });
  return Object.fromEntries(given) as CallbackParameters;
}

/** Returns where the browser goes. With PKCE, only the app that began the flow can end it, so an identity is linked at its exchange. */
async function follow(context: AuthContext, call: AuthCall, flow: SignInFlowRow): Promise<string> {
  const { pool } = context;
  const { provider: name, redirect_to: target, linking_session_id: sessionId } = flow;
  const provider = context.signInProviders.require(name);
  const { profile, tokens } = await readProviderAnswer(context, provider, readParameters(call));
  const presented = { provider: name, profile, call };
  if (flow.code_challenge === null) {
    const issued =
      sessionId === null
        ? await admitIdentity(context, presented, (client, user, isNew) =>
            issueSession(context, client, { user, method: OAUTH_METHOD, call, isNew }),
          )
        : await inTransaction(pool, (client) => linkIdentity(context, client, { ...presented, sessionId }));
    context.mailWakeUp.trigger();
    return addToFragment(target, { ...sessionFields(await finishSession(context, issued)), ...tokens });
  }
  if (sessionId === null)
    return admitIdentity(context, presented, (client, user, isNew) =>
      issueCode(context, client, { flow, userId: user.id, answer: { tokens, isNew, linking: null } }),
    );
  return inTransaction(pool, async (client) => {
    const session = await findSession(client, sessionId);
    if (session === null) throw authError("session_not_found", undefined, { status: 403 });
    const linking = { provider: name, profile, sessionId };
    return issueCode(context, client, { flow, userId: session.user_id, answer: { tokens, isNew: false, linking } });
  });
}

async function issueCode(
  context: AuthContext,
  client: Queryable,
  { flow, userId, answer }: Readonly<{ flow: SignInFlowRow; userId: string; answer: SealedAnswer }>,
): Promise<string> {
  const id = randomUUID();
  await insertFlowState(client, {
    id,
    user_id: userId,
    authentication_method: OAUTH_METHOD,
    code_challenge: flow.code_challenge ?? "",
    code_challenge_method: flow.code_challenge_method ?? "s256",
    redirect_to: flow.redirect_to,
    expires_at: context.clock.now(),
    provider_answer_wrapped: sealAnswer(context.masterKey, id, answer),
  });
  return addToQuery(flow.redirect_to, { code: await issueAuthCode(context, client, id) });
}
