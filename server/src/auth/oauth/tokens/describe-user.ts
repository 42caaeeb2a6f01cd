import { AppError } from "../../../errors/index.ts";
import type { AuthContext } from "../../auth-context.ts";
import type { AuthCall, AuthResponse } from "../../call.ts";
import { requireLiveSession, requireSecondFactor } from "../../principal/live-session.ts";
import { resolveBearerPrincipal } from "../../principal/resolve-principal.ts";
import { findClientSession } from "../../sql/oauth-sessions.ts";
import { getUserById } from "../../sql/users.ts";
import { claimsOf } from "./id-token.ts";

/** GET and POST /oauth/userinfo: about the user, for a client with the scope `openid`, whichever resource its token is for. */
export async function describeUser(context: AuthContext, { headers }: AuthCall): Promise<AuthResponse> {
  const { authorization } = headers;
  const { principal } = await resolveBearerPrincipal(context, { apikey: undefined, authorization });
  if (principal.role === "authenticated") requireSecondFactor(principal, await requireLiveSession(context, principal));
  const sessionId = principal.client === undefined ? null : (principal.session?.sessionId ?? null);
  const session = sessionId === null ? null : await findClientSession(context.pool, sessionId);
  if (session?.scopes.includes("openid") !== true)
    throw new AppError("INSUFFICIENT_SCOPE", "Only the token of a program with the scope openid is accepted", {
      headers: { "www-authenticate": 'Bearer error="insufficient_scope", scope="openid"' },
    });
  return { status: 200, body: claimsOf(await getUserById(context.pool, session.user_id), session.scopes) };
}
