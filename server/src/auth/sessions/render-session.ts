import { isDeepStrictEqual } from "node:util";
import { isRecord, type JsonRecord } from "../../json/index.ts";
import type { AuthContext } from "../auth-context.ts";
import { findUnstorable } from "../find-unstorable.ts";
import { type Hook, HookFault, tooLarge } from "../hooks/hook.ts";
import type { SessionRow } from "../sql/sessions.ts";
import type { UserRow, WholeUser } from "../sql/user-row.ts";
import { type AccessClaims, signAccessToken } from "../tokens/access-token.ts";
import { encodeRefreshToken } from "../tokens/refresh-token.ts";
import { type RenderedUser, renderUser } from "../users/render-user.ts";

export interface SessionBody {
  readonly access_token: string;
  readonly token_type: "bearer";
  readonly expires_in: number;
  readonly expires_at: number;
  readonly refresh_token: string;
  readonly user: RenderedUser;
}

export interface SessionSource {
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
  { session, refreshKey, user }: SessionSource,
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

/** What the service itself goes by. The last ones are those of its own tokens and keys, which a hook cannot add. */
const PROTECTED =
  "iss sub aud exp iat nbf role aal amr session_id is_anonymous refresh_counter api_key_id client_id scopes resources".split(
    " ",
  );

/** Fits into the largest token that is accepted. */
const MAX_CLAIMS_BYTES = 70_000;

interface AskedClaims {
  readonly claims: JsonRecord;
  /** How the user signed in, or `token_refresh`. */
  readonly method: string;
  readonly address?: string | undefined;
}

/** The claims as the hook wants them. Row-level rules see them; the service believes none that a hook could change. */
export async function customizeClaims(
  hook: Hook,
  { claims: { refresh_counter: counter, ...shown }, method, address }: AskedClaims,
): Promise<JsonRecord> {
  const event = { user_id: shown["sub"], claims: shown, authentication_method: method };
  const changed = await hook.ask({ event, address, read: (answer) => readClaims(answer["claims"], shown) });
  return { ...(changed ?? shown), ...(counter !== undefined && { refresh_counter: counter }) };
}

function readClaims(claims: unknown, given: JsonRecord): JsonRecord {
  if (!isRecord(claims)) throw new HookFault("no claims");
  // The example of Supabase for small tokens leaves `amr` out.
  const isKept = (name: string): boolean =>
    isDeepStrictEqual(claims[name], given[name]) || (name === "amr" && claims[name] === undefined);
  const changed = PROTECTED.find((name) => !isKept(name));
  if (changed !== undefined) throw new HookFault(`changed claim ${changed}`);
  if (Buffer.byteLength(JSON.stringify(claims)) > MAX_CLAIMS_BYTES) throw tooLarge();
  if (findUnstorable(claims) !== null) throw new HookFault("claims cannot be stored");
  return claims;
}
