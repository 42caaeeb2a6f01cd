import { deriveKey, unwrapSecret, wrapSecret } from "../../crypto/index.ts";
import { isRecord } from "../../json/index.ts";
import { apiOf, type SignInProvider } from "../../sign-in-providers/index.ts";
import type { AuthContext } from "../auth-context.ts";
import { authError } from "../auth-error.ts";
import { callbackUrlOf, toProviderError } from "./answers.ts";
import { type ExternalProfile, readAppleName, readProfile } from "./profile.ts";
import { deriveFrom } from "./sign-in-state.ts";

/** Of the provider. The client keeps them; the service does not. */
interface ProviderTokens {
  readonly provider_token: string;
  readonly provider_refresh_token?: string;
}

type ProviderAnswer = Readonly<{ profile: ExternalProfile; tokens: ProviderTokens }>;

/** What the browser brought back. `user` is Apple's. */
export type CallbackParameters = Readonly<Partial<Record<"state" | "code" | "iss" | "error" | "user", string>>>;

/** Exchanges the code at the provider, and says who has signed in. */
export async function readProviderAnswer(
  context: AuthContext,
  provider: SignInProvider,
  parameters: CallbackParameters,
): Promise<ProviderAnswer> {
  const { error: provider_error } = parameters;
  const message = `The sign-in with ${provider.label} was not completed`;
  if (provider_error !== undefined) throw authError("bad_oauth_callback", message, { members: { provider_error } });
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
  const tokens = { provider_token: accessToken, ...(refreshToken && { provider_refresh_token: refreshToken }) };
  if (!isOidc) {
    const claims = await readGithubClaims(context, apiOf(provider.issuer), accessToken);
    return { profile: readProfile(provider, claims), tokens };
  }
  const claims = await signInProviders.verify(provider, idToken, [provider.clientId]);
  const hasMore = claims["email"] === undefined && config.serverMetadata().userinfo_endpoint !== undefined;
  const more = hasMore ? await client.fetchUserInfo(config, accessToken, claims.sub ?? "") : {};
  const name = provider.preset.secret === "apple" ? readAppleName(user) : null;
  return { profile: readProfile(provider, { ...more, ...claims, ...(name !== null && { name }) }), tokens };
}

/**
 * GitHub has no ID tokens: its API says who the token belongs to, and which addresses are verified. Returns it in the form of
 * claims.
 */
async function readGithubClaims({ signInProviders }: AuthContext, iss: string, accessToken: string) {
  const authorization = `Bearer ${accessToken}`;
  const headers = { accept: "application/vnd.github+json", authorization, "user-agent": "swarmbase" };
  const read = async (path: string): Promise<unknown> => {
    const response = await signInProviders.fetch(`${iss}${path}`, { headers });
    if (!response.ok) throw new Error(`the API of the provider answered with status ${response.status}`);
    return response.json();
  };
  const user = await read("/user");
  if (!isRecord(user) || typeof user["id"] !== "number") throw new Error("the API of the provider names nobody");
  const { id, name, login: preferred_username, avatar_url: picture } = user;
  const listed = await read("/user/emails");
  const emails = Array.isArray(listed) ? listed.filter(isRecord) : [];
  const { email, verified } = emails.find(({ primary }) => primary === true) ?? {};
  return { iss, sub: String(id), name, preferred_username, picture, email, email_verified: verified === true };
}

/** What waits in a flow of PKCE until the app exchanges the code. */
export interface SealedAnswer {
  readonly tokens: ProviderTokens;
  /** The sign-in has created the account. */
  readonly isNew: boolean;
  /** Null means that somebody has signed in. */
  readonly linking: Readonly<{ provider: string; profile: ExternalProfile; sessionId: string }> | null;
}

const PURPOSE = "sign-in-answers";

export function sealAnswer(masterKey: string, flowStateId: string, answer: SealedAnswer): Buffer {
  return wrapSecret(deriveKey(masterKey, PURPOSE), Buffer.from(JSON.stringify(answer)), contextOf(flowStateId));
}

export function openAnswer(masterKey: string, flowStateId: string, wrapped: Buffer): SealedAnswer {
  const opened = unwrapSecret(deriveKey(masterKey, PURPOSE), wrapped, contextOf(flowStateId));
  return JSON.parse(opened.toString()) as SealedAnswer;
}

function contextOf(flowStateId: string): string {
  return `sign-in-answer:${flowStateId}`;
}
