import type { AuthContext } from "../auth-context.ts";
import { authError } from "../auth-error.ts";
import { callbackUrlOf, toProviderError } from "./answers.ts";
import { type ExternalProfile, readProfile, readAppleName } from "./profile.ts";
import { readGithubClaims } from "./read-github-claims.ts";
import type { SignInProvider } from "../../sign-in-providers/index.ts";
import { deriveFrom } from "./sign-in-state.ts";
import { verifyIdToken } from "../providers/verify-id-token.ts";

/** Of the provider. The client keeps them; the service does not. */
export interface ProviderTokens {
  readonly provider_token: string;
  readonly provider_refresh_token?: string;
}

export interface ProviderAnswer {
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
