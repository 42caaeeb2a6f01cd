import type { AuthContext } from "../../auth-context.ts";
import type { UserRow } from "../../sql/user-row.ts";
import { signAccessToken } from "../../tokens/access-token.ts";
import { ACCESS_TTL_SECONDS } from "./client-tokens.ts";

/** What the scopes `email` and `profile` tell about the user. */
export function claimsOf(user: UserRow, scopes: readonly string[]): Record<string, unknown> {
  const { full_name: fullName, name, avatar_url: avatar, picture } = user.user_metadata;
  const profile = { name: fullName ?? name, picture: avatar ?? picture };
  return {
    sub: user.id,
    ...(scopes.includes("email") &&
      user.email !== null && { email: user.email, email_verified: user.email_confirmed_at !== null }),
    ...(scopes.includes("profile") &&
      Object.fromEntries(Object.entries(profile).filter(([, value]) => typeof value === "string"))),
  };
}

interface IdTokenRequest {
  readonly user: UserRow;
  readonly clientId: string;
  readonly scopes: readonly string[];
  readonly nonce: string | null;
  readonly authenticatedAt: Date;
}

/** For the client alone: the audience keeps it from being accepted as an access token. */
export function signIdToken(
  { clock, baseUrl, keyRing }: AuthContext,
  { user, clientId, scopes, nonce, authenticatedAt }: IdTokenRequest,
): Promise<string> {
  const iat = Math.floor(clock.now().getTime() / 1000);
  return signAccessToken(keyRing, {
    iss: `${baseUrl}/auth/v1`,
    aud: clientId,
    iat,
    exp: iat + ACCESS_TTL_SECONDS,
    auth_time: Math.floor(authenticatedAt.getTime() / 1000),
    ...(nonce !== null && { nonce }),
    ...claimsOf(user, scopes),
  });
}
