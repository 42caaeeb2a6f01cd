import type { AuthContext } from "../auth-context.ts";
import { authError } from "../auth-error.ts";
import type { AuthCall, AuthResponse } from "../call.ts";
import { lockPrincipal } from "../mfa/lock-principal.ts";
import { chooseRedirect, redirect } from "../one-time/links.ts";
import { readPkce } from "../one-time/pkce.ts";
import { requireClientProof } from "../sessions/recent-proof.ts";
import { inTransaction } from "../../db/index.ts";
import { bindSignInFlow, insertSignInFlow } from "../sql/sign-in-flows.ts";
import { callbackUrlOf, redirectFailure, toProviderError } from "./answers.ts";
import type { SignInProvider } from "../../sign-in-providers/index.ts";
import { deriveFrom, FLOW_LIFE_MS, hashSecret, keepBrowserSecret, newSecret } from "./sign-in-state.ts";

const SCOPE = /^[\x21\x23-\x5b\x5d-\x7e]{1,200}$/;
const MAX_SCOPES = 50;
const MAX_PARAMETER = 500;
/** Of the authorization request, which the app may choose. All others belong to the protocol. */
const PASSED_ON =
  "access_type acr_values allow_signup connection domain_hint hd include_granted_scopes login login_hint prompt screen_hint ui_locales".split(
    " ",
  );

/** GET /authorize: sends the browser to the provider, with `link` for an identity that somebody links. */
export async function beginSignIn(context: AuthContext, call: AuthCall): Promise<AuthResponse> {
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
export async function beginLinking(context: AuthContext, call: AuthCall): Promise<AuthResponse> {
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
    ...Object.fromEntries(chosen.filter(([, value]) => value !== "" && value.length <= MAX_PARAMETER)),
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
