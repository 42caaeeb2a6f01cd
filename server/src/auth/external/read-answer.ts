import { isRecord } from "../../json/index.ts";
import { apiOf, type SignInProvider } from "../../sign-in-providers/index.ts";
import type { AuthContext } from "../auth-context.ts";
import { authError } from "../auth-error.ts";
import type { Fetch } from "../providers/provider-fetch.ts";
import { verifyIdToken } from "../providers/sign-in-providers.ts";
import { callbackUrlOf, toProviderError } from "./answers.ts";
import { type ExternalProfile, readAppleName, readProfile } from "./profile.ts";
import { deriveFrom } from "./sign-in-state.ts";

/** Of the provider. The client keeps them; the service does not. */
export interface ProviderTokens {
  readonly provider_token: string;
  readonly provider_refresh_token?: string;
}

interface ProviderAnswer {
  readonly profile: ExternalProfile;
  readonly tokens: ProviderTokens;
}

/** What the browser brought back. `user` is Apple's. */
export type CallbackParameters = Readonly<Partial<Record<"state" | "code" | "iss" | "error" | "user", string>>>;

/** Exchanges the code at the provider, and says who has signed in. */
export async function readAnswer(
  context: AuthContext,
  provider: SignInProvider,
  parameters: CallbackParameters,
): Promise<ProviderAnswer> {
  const { error: refusal } = parameters;
  if (refusal !== undefined) {
    const message = `The sign-in with ${provider.label} was not completed`;
    throw authError("bad_oauth_callback", message, { members: { provider_error: refusal } });
  }
  try {
    return await exchange(context, provider, parameters);
  } catch (error) {
    throw toProviderError(context, provider, error);
  }
}

async function exchange(
  context: AuthContext,
  provider: SignInProvider,
  { state = "", user, ...parameters }: CallbackParameters,
): Promise<ProviderAnswer> {
  const { masterKey, signInProviders } = context;
  const client = await import("openid-client");
  const { config } = await signInProviders.open(provider);
  const isOidc = provider.preset.kind === "oidc";
  const url = new URL(callbackUrlOf(context));
  for (const [name, value] of Object.entries({ ...parameters, state })) url.searchParams.set(name, value);
  const given = await client.authorizationCodeGrant(config, url, {
    expectedState: state,
    pkceCodeVerifier: deriveFrom(masterKey, "verifier", state),
    ...(isOidc && { expectedNonce: deriveFrom(masterKey, "nonce", state), idTokenExpected: true }),
  });
  const { access_token: accessToken, refresh_token: refreshToken, id_token: idToken = "" } = given;
  const tokens = {
    provider_token: accessToken,
    ...(refreshToken !== undefined && { provider_refresh_token: refreshToken }),
  };
  if (!isOidc) {
    const { issuer } = provider;
    const claims = await readGithubClaims({ issuer, send: signInProviders.fetch }, accessToken);
    return { profile: readProfile(provider, claims), tokens };
  }
  const claims = await verifyIdToken(context, provider, { token: idToken, audiences: [provider.clientId] });
  const hasMore = claims["email"] === undefined && config.serverMetadata().userinfo_endpoint !== undefined;
  const more = hasMore ? await client.fetchUserInfo(config, accessToken, claims.sub ?? "") : {};
  const name = provider.preset.secret === "apple" ? readAppleName(user) : null;
  const described = { ...more, ...claims, ...(name !== null && { name }) };
  return { profile: readProfile(provider, described), tokens };
}

/**
 * GitHub has no ID tokens: its API says who the token belongs to, and which addresses are verified. Returns it in the form of
 * claims.
 */
async function readGithubClaims(
  { issuer, send }: { readonly issuer: string; readonly send: Fetch },
  accessToken: string,
): Promise<Readonly<Record<string, unknown>>> {
  const iss = apiOf(issuer);
  const read = async (path: string): Promise<unknown> => {
    const headers = {
      accept: "application/vnd.github+json",
      authorization: `Bearer ${accessToken}`,
      "user-agent": "swarmbase",
    };
    const response = await send(`${iss}${path}`, { headers });
    if (!response.ok) throw new Error(`the API of the provider answered with status ${response.status}`);
    return response.json();
  };
  const user = await read("/user");
  if (!isRecord(user) || typeof user["id"] !== "number") throw new Error("the API of the provider names nobody");
  const { id, name, login: preferred_username, avatar_url: picture } = user;
  const listed = await read("/user/emails");
  const { email, verified } =
    (Array.isArray(listed) ? listed.filter(isRecord).find(({ primary }) => primary === true) : undefined) ?? {};
  return { iss, sub: String(id), name, preferred_username, picture, email, email_verified: verified === true };
}
