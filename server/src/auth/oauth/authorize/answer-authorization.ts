import * as z from "zod";
import { inTransaction, type Queryable } from "../../../db/index.ts";
import type { AuthContext } from "../../auth-context.ts";
import { authError } from "../../auth-error.ts";
import type { AuthCall, AuthResponse } from "../../call.ts";
import { type LockedPrincipal, lockPrincipal } from "../../mfa/lock-principal.ts";
import { getPathId, parseAuthBody } from "../../parse-call.ts";
import { hasClientProof, requireClientProof } from "../../sessions/recent-proof.ts";
import { hasVerifiedFactor } from "../../sql/mfa-factors.ts";
import {
  type AuthorizationRow,
  claimAuthorization,
  deleteAuthorization,
  findAuthorization,
  releaseAuthorization,
} from "../../sql/oauth-authorizations.ts";
import { type ConsentRow, findConsent, storeConsent } from "../../sql/oauth-consents.ts";
import { findForeignResources } from "../../sql/user-keys.ts";
import { recordChange } from "../../users/record-change.ts";
import { retryAfterDeadlock } from "../../users/retry-after-deadlock.ts";
import {
  clientHost,
  findClient,
  isMemorableRedirect,
  isRegisteredRedirect,
  type OAuthClient,
  permittedScopes,
} from "../clients/client.ts";
import { issueCode, redirectToClient } from "./redirects.ts";

const MAX_SCOPES = 20;
const IDS = z
  .array(z.guid().transform((id) => id.toLowerCase()))
  .max(100)
  .default([]);

export const CONSENT_BODY = z.object({
  /** Release: another account is to answer. */
  action: z.enum(["approve", "deny", "release"]),
  /** Fewer than the client asks for. Absent means all. */
  scopes: z.array(z.string().max(100)).min(1).max(MAX_SCOPES).optional(),
  /** Binds the client to agents and swarms. Absent or null: it is not bound. */
  resources: z
    .strictObject({ agents: IDS, swarms: IDS })
    .refine(({ agents, swarms }) => agents.length + swarms.length > 0, "must name an agent or a swarm")
    .optional(),
});

interface OpenRequest extends LockedPrincipal {
  readonly client: OAuthClient;
  readonly row: AuthorizationRow;
  readonly consent: ConsentRow | null;
}

/** GET /oauth/authorizations/:id: what the client asks for; or where to go on, while an earlier consent covers it. */
export async function showAuthorization(context: AuthContext, call: AuthCall): Promise<AuthResponse> {
  return withRequest(context, call, async (db, request) => {
    const { consent, row, user } = request;
    if (consent === null || !isRemembered(context, request)) return { status: 200, body: describe(request) };
    const { resources } = consent;
    const url = await issueCode(context, db, row, { ...request, scopes: row.scopes, resources });
    context.observer.note("oauth.authorized", { ...fieldsOf(row, user.id), isRemembered: true });
    return { status: 200, body: { redirect_url: url } };
  });
}

/** POST /oauth/authorizations/:id/consent: the answer of the person, once. */
export async function answerAuthorization(context: AuthContext, call: AuthCall): Promise<AuthResponse> {
  const { action, ...given } = parseAuthBody(CONSENT_BODY, call);
  const answer = await withRequest(context, call, async (db, request) => {
    const { row } = request;
    if (action === "deny") {
      await deleteAuthorization(db, row.id);
      const refusal = { error: "access_denied", error_description: "The person has refused" };
      return { status: 200, body: { redirect_url: redirectToClient(context, row, refusal) } };
    }
    if (action === "release") {
      await releaseAuthorization(db, row.id);
      return { status: 204 };
    }
    return { status: 200, body: { redirect_url: await approve(context, db, { ...request, given, call }) } };
  });
  context.mailWakeUp.trigger();
  return answer;
}

/** Finds the client before the transaction, because its document may have to be fetched. */
async function withRequest(
  context: AuthContext,
  call: AuthCall,
  work: (db: Queryable, request: OpenRequest) => Promise<AuthResponse>,
): Promise<AuthResponse> {
  const id = getPathId(call.params, "id", "authorization_id");
  const known = await findAuthorization(context.pool, id);
  const client = known === null ? null : await findClient(context, known.client_id);
  // The client can have changed since it asked.
  if (known === null || client === null || !isStillPermitted(client, known))
    throw authError("oauth_authorization_not_found");
  const answer = async (db: Queryable): Promise<AuthResponse> => {
    const { user, session } = await lockPrincipal(db, call);
    const row = await claimAuthorization(db, { id, userId: user.id, now: context.clock.now() });
    if (row === null) throw authError("oauth_authorization_not_found");
    // Whatever AUTH_MFA_ENFORCE says: a consent outlasts the session.
    if (session.aal !== "aal2" && (await hasVerifiedFactor(db, user.id))) throw authError("insufficient_aal");
    const consent = await findConsent(db, { ...row, user_id: user.id });
    return work(db, { user, session, client, row, consent });
  };
  // A consent can end sessions, and with them runs.
  return retryAfterDeadlock(() => inTransaction(context.pool, answer));
}

function isStillPermitted(client: OAuthClient, { redirect_uri: uri, scopes }: AuthorizationRow): boolean {
  const permitted = permittedScopes(client);
  return isRegisteredRedirect(client, uri) && scopes.every((scope) => permitted.includes(scope));
}

/** The person is asked again about a client that asks for more, or presents itself in another way than they saw. */
function isRemembered(context: AuthContext, request: OpenRequest): boolean {
  const { user, session, client, row, consent } = request;
  if (consent === null || row.is_asked || !isMemorableRedirect(row.redirect_uri)) return false;
  const isSame =
    consent.client_name === client.name && String(consent.redirect_uris) === String([...client.redirectUris].sort());
  const isCovered = row.scopes.every((scope) => consent.scopes.includes(scope));
  return isSame && isCovered && hasClientProof(context, { user, session }) && hasSignedInSince(request);
}

/** What `max_age` and `prompt=login` require. */
function hasSignedInSince({ row, session }: Pick<OpenRequest, "row" | "session">): boolean {
  const since = row.authenticated_after;
  return since === null || (session.proven_at ?? session.created_at) >= since;
}

function describe({ user, client, row, consent }: OpenRequest) {
  return {
    authorization_id: row.id,
    redirect_uri: row.redirect_uri,
    client: {
      id: client.id,
      name: client.name,
      uri: client.clientUri ?? "",
      logo_uri: client.logoUri ?? "",
      host: clientHost(client),
      registration: client.registration,
    },
    user: { id: user.id, email: user.email ?? "" },
    scope: row.scopes.join(" "),
    scopes: row.scopes,
    resource: row.resource,
    is_loopback_redirect: !isMemorableRedirect(row.redirect_uri) && row.redirect_uri.startsWith("http:"),
    previous: consent === null ? null : describeConsent(consent),
    expires_at: row.expires_at.toISOString(),
  };
}

function describeConsent({ scopes, resources, client_name, redirect_uris, granted_at }: ConsentRow) {
  return { scopes, resources, client_name, redirect_uris, granted_at: granted_at.toISOString() };
}

interface Approving extends OpenRequest {
  readonly given: Omit<z.output<typeof CONSENT_BODY>, "action">;
  readonly call: AuthCall;
}

async function approve(context: AuthContext, db: Queryable, request: Approving): Promise<string> {
  const { user, session, client, row, given, call } = request;
  requireClientProof(context, { user, session }, "Connecting a program");
  if (!hasSignedInSince(request))
    throw authError("reauthentication_needed", "The program requires that you sign in again");
  const { scopes = row.scopes, resources = null } = given;
  if (!scopes.every((scope) => row.scopes.includes(scope)))
    throw authError("validation_failed", "scopes: must be among those that the client asks for");
  const [foreign] = resources === null ? [] : await findForeignResources(db, user.id, resources);
  if (foreign !== undefined)
    throw authError("validation_failed", `resources.${foreign.kind}: ${foreign.id} is not one of yours`);
  const approved = row.scopes.filter((scope) => scopes.includes(scope));
  await storeConsent(db, {
    user_id: user.id,
    client_id: client.id,
    resource: row.resource,
    scopes: approved,
    resources,
    client_name: client.name,
    redirect_uris: [...client.redirectUris].sort(),
    granted_at: context.clock.now(),
  });
  const change = { user, sessionId: session.id, address: call.address, clientId: client.id };
  await recordChange(context, db, { action: "program_connected", ...change });
  const url = await issueCode(context, db, row, { user, session, scopes: approved, resources });
  context.observer.note("oauth.authorized", { ...fieldsOf(row, user.id), scopes: approved, isRemembered: false });
  return url;
}

function fieldsOf({ client_id: clientId, resource, scopes }: AuthorizationRow, userId: string) {
  return { userId, clientId, resource, scopes };
}
