import { randomBytes } from "node:crypto";
import type { ApiKeyResources } from "@swarmbase/sdk";
import { hashAuthCode } from "../../one-time/pkce.ts";
import type { AuthContext } from "../../auth-context.ts";
import type { AuthResponse } from "../../call.ts";
import type { LockedPrincipal } from "../../mfa/lock-principal.ts";
import { type AuthorizationRow, storeCode } from "../../sql/oauth-authorizations.ts";
import type { Queryable } from "../../../db/index.ts";

/** The client redeems the code at once. */
const CODE_LIFE_MS = 60_000;
const CODE_BYTES = 32;

/** A browser is sent on with GET whatever it has sent, and tells nobody where it came from. No script of another origin reads where to. */
export function toConsentPage(location: string): AuthResponse {
  return { status: 303, headers: { location, "cache-control": "no-store", "referrer-policy": "no-referrer" } };
}

/** The registered address stays as it is: parsing and writing it again could change it. `iss` is against mix-up (RFC 9207). */
export function redirectToClient(
  { baseUrl }: Pick<AuthContext, "baseUrl">,
  { redirect_uri: address, state }: Pick<AuthorizationRow, "redirect_uri" | "state">,
  answer: Readonly<Record<string, string>>,
): string {
  const query = new URLSearchParams({ ...answer, ...(state !== null && { state }), iss: `${baseUrl}/auth/v1` });
  return `${address}${address.includes("?") ? "&" : "?"}${query.toString()}`;
}

interface Approval extends LockedPrincipal {
  readonly scopes: readonly string[];
  readonly resources: ApiKeyResources | null;
}

/** Returns where the browser brings the code. */
export async function issueCode(
  context: AuthContext,
  client: Queryable,
  row: AuthorizationRow,
  { session, scopes, resources }: Approval,
): Promise<string> {
  const code = randomBytes(CODE_BYTES).toString("base64url");
  await storeCode(client, row.id, {
    aal: session.aal,
    authenticated_at: session.proven_at ?? session.created_at,
    code_hash: hashAuthCode(code),
    expires_at: new Date(context.clock.now().getTime() + CODE_LIFE_MS),
    resources,
    scopes,
  });
  return redirectToClient(context, row, { code });
}
