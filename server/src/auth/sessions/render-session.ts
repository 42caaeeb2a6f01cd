import type { AuthContext } from "../auth-context.ts";
import type { SessionRow } from "../sql/sessions.ts";
import { type AccessClaims, signAccessToken } from "../tokens/access-token.ts";
import { encodeRefreshToken } from "../tokens/refresh-token.ts";
import { customizeClaims } from "./custom-claims.ts";
import { type RenderedUser, renderUser } from "../users/render-user.ts";
import type { UserRow, WholeUser } from "../sql/user-row.ts";

export interface SessionBody {
  readonly access_token: string;
  readonly token_type: "bearer";
  readonly expires_in: number;
  readonly expires_at: number;
  readonly refresh_token: string;
  readonly user: RenderedUser;
}

export interface SessionParts {
  readonly session: SessionRow;
  readonly refreshKey: Buffer;
  readonly user: WholeUser;
}

export interface TokenRequest {
  /** The authentication method, or `token_refresh`: for the hook. */
  readonly method: string;
  /** The client's. */
  readonly address: string;
}

/** A new access token and the session's current refresh token. Asks the hook for claims, so it runs outside of transactions. */
export async function renderSession(
  context: AuthContext,
  { session, refreshKey, user }: SessionParts,
  request: TokenRequest,
): Promise<SessionBody> {
  const claims = buildClaims(context, session, user.row);
  const hook = context.hooks.custom_access_token;
  const signed = hook === null ? claims : await customizeClaims(hook, { claims: { ...claims }, ...request });
  return {
    access_token: await signAccessToken(context.keyRing, signed),
    token_type: "bearer",
    expires_in: claims.exp - claims.iat,
    expires_at: claims.exp,
    refresh_token: encodeRefreshToken({ sessionId: session.id, counter: BigInt(session.refresh_counter) }, refreshKey),
    user: renderUser(user),
  };
}

function buildClaims(context: AuthContext, session: SessionRow, user: UserRow): AccessClaims {
  const iat = Math.floor(context.clock.now().getTime() / 1000);
  return {
    iss: `${context.baseUrl}/auth/v1`,
    sub: user.id,
    aud: "authenticated",
    exp: iat + context.settings.authAccessTokenTtlSeconds,
    iat,
    email: user.email ?? "",
    phone: "",
    app_metadata: user.app_metadata,
    user_metadata: user.user_metadata,
    role: user.role,
    aal: session.aal,
    amr: session.amr,
    session_id: session.id,
    refresh_counter: Number(session.refresh_counter),
    is_anonymous: user.is_anonymous,
  };
}
