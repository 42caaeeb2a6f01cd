import { randomUUID } from "node:crypto";
import { inTransaction, type Queryable } from "../../db/index.ts";
import type { SignInProvider } from "../../sign-in-providers/index.ts";
import type { AuthContext } from "../auth-context.ts";
import { authError } from "../auth-error.ts";
import type { AuthCall, AuthEndpoint, AuthResponse } from "../call.ts";
import { lockPrincipal } from "../mfa/lock-principal.ts";
import { addToFragment, addToQuery, chooseRedirect, redirect, sessionFields } from "../one-time/links.ts";
import { issueAuthCode, readPkce } from "../one-time/pkce.ts";
import { finishSession, issueSession } from "../sessions/issue-session.ts";
import { requireClientProof } from "../sessions/recent-proof.ts";
import { insertFlowState } from "../sql/flow-states.ts";
import { findSession } from "../sql/sessions.ts";
import { bindSignInFlow, insertSignInFlow, type SignInFlowRow, takeSignInFlow } from "../sql/sign-in-flows.ts";
import { admitIdentity, OAUTH_METHOD } from "./admit-identity.ts";
import { callbackUrlOf, redirectFailure, toProviderError } from "./answers.ts";
import { linkIdentity, unlinkIdentity } from "./link-identity.ts";
import { type CallbackParameters, readProviderAnswer, sealAnswer, type SealedAnswer } from "./read-provider-answer.ts";
import {
  deriveFrom,
  FLOW_LIFE_MS,
  hashSecret,
  keepBrowserSecret,
  newSecret,
  readBrowserSecret,
} from "./sign-in-state.ts";

const PARAMETERS = ["state", "code", "iss", "error", "user"] as const;

const MAX_RETURNED_CHARS = 16_384;

const SCOPE = /^[\x21\x23-\x5b\x5d-\x7e]{1,200}$/;

const MAX_SCOPES = 50;

const MAX_PASSED_CHARS = 500;

/** Of the authorization request, which the app may choose. All others belong to the protocol. */
const PASSED_ON =
  "access_type acr_values allow_signup connection domain_hint hd include_granted_scopes login login_hint prompt screen_hint ui_locales".split(
    " ",
  );

export const externalEndpoints: readonly AuthEndpoint[] = [
  { method: "GET", path: "/authorize", access: "public", limit: "api", run: beginSignIn },
  { method: "GET", path: "/callback", access: "public", limit: "api", run: finishSignIn },
  { method: "POST", path: "/callback", access: "public", limit: "api", run: finishSignIn },
  { method: "GET", path: "/user/identities/authorize", access: "user", limit: "api", run: beginLinking },
  { method: "DELETE", path: "/user/identities/:id", access: "user", limit: "api", run: unlinkIdentity },
];

/** GET /authorize: sends the browser to the provider, with `link` for an identity that somebody links. */
async function beginSignIn(context: AuthContext, call: AuthCall): Promise<AuthResponse> {
  const { pool, signInProviders } = context;
  const { link, provider: name } = call.query;
  const provider = signInProviders.require(name);
  const flow = readFlow(context, call, provider);
  const { secret, header } = keepBrowserSecret(provider, call);
  const state = link ?? newSecret();
  const kept = { state_hash: hashSecret(state), browser_hash: hashSecret(secret) };
  try {
    const url = await buildUrl(context, call, { provider, state, isLinking: link !== undefined });
    if (link === undefined) await insertSignInFlow(pool, { ...flow, ...kept });
    else if (!(await bindSignInFlow(pool, { ...kept, provider: provider.name, now: context.clock.now() })))
      throw authError("bad_oauth_state");
    return redirect(url, { "set-cookie": header });
  } catch (error) {
    return redirectFailure(flow.redirect_to, error);
  }
}

/** GET /user/identities/authorize: a flow that ends with the identity at the account of the caller. */
async function beginLinking(context: AuthContext, call: AuthCall): Promise<AuthResponse> {
  const provider = context.signInProviders.require(call.query["provider"]);
  const flow = readFlow(context, call, provider);
  const state = newSecret();
  await inTransaction(context.pool, async (client) => {
    const { user, session } = await lockPrincipal(client, call);
    requireClientProof(context, { user, session }, "Linking an identity");
    await insertSignInFlow(client, { ...flow, state_hash: hashSecret(state), linking_session_id: session.id });
  });
  // The call comes from a script of the app, which keeps no cookie of this origin. The browser gets it when it follows.
  const query = new URLSearchParams({ provider: provider.name, link: state, redirect_to: flow.redirect_to });
  for (const name of ["scopes", ...PASSED_ON]) if (call.query[name] !== undefined) query.set(name, call.query[name]);
  const url = `${context.baseUrl}/auth/v1/authorize?${query.toString()}`;
  return call.query["skip_http_redirect"] === "true" ? { status: 200, body: { url } } : redirect(url);
}

function readFlow(context: AuthContext, { query }: AuthCall, provider: SignInProvider) {
  const pkce = readPkce({ body: query });
  return {
    provider: provider.name,
    redirect_to: chooseRedirect(context, query["redirect_to"]),
    code_challenge: pkce?.challenge ?? null,
    code_challenge_method: pkce?.method ?? null,
    expires_at: new Date(context.clock.now().getTime() + FLOW_LIFE_MS),
  };
}

async function buildUrl(
  context: AuthContext,
  { query }: AuthCall,
  { provider, state, isLinking }: Readonly<{ provider: SignInProvider; state: string; isLinking: boolean }>,
): Promise<string> {
  const { masterKey, signInProviders } = context;
  const { preset } = provider;
  const { config } = await signInProviders.open(provider).catch((error: unknown) => {
    throw toProviderError(context, provider, error);
  });
  const client = await import("openid-client");
  const chosen = PASSED_ON.map((name) => [name, query[name] ?? ""] as const);
  const url = client.buildAuthorizationUrl(config, {
    ...Object.fromEntries(chosen.filter(([, value]) => value !== "" && value.length <= MAX_PASSED_CHARS)),
    ...(isLinking && preset.linkingParams),
    ...preset.authorizationParams,
    redirect_uri: callbackUrlOf(context),
    response_type: "code",
    scope: readScopes(provider, query["scopes"]).join(" "),
    state,
    ...(preset.kind === "oidc" && { nonce: deriveFrom(masterKey, "nonce", state) }),
    code_challenge: await client.calculatePKCECodeChallenge(deriveFrom(masterKey, "verifier", state)),
    code_challenge_method: "S256",
  });
  return url.href;
}

function readScopes({ scopes }: SignInProvider, given = ""): readonly string[] {
  const added = given.split(/[ ,]+/).filter((scope) => scope !== "");
  if (added.length > MAX_SCOPES || !added.every((scope) => SCOPE.test(scope)))
    throw authError("validation_failed", "scopes must be names, separated by spaces");
  return [...new Set([...scopes, ...added])];
}

/** GET and POST /callback: where the provider sends the browser. Always returns a redirect to the app. */
async function finishSignIn(context: AuthContext, call: AuthCall): Promise<AuthResponse> {
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
    return value === undefined || value.length > MAX_RETURNED_CHARS ? [] : [[name, value]];
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
