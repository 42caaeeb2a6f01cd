import { randomBytes } from "node:crypto";
import { type AccountServer, AppError, type AuthorizationKey, type ToolAccount } from "swarmbase/extension";
import type { McpContext } from "../settings.ts";
import {
  type AuthorizationRow,
  type AuthorizationTarget,
  prepareAuthorization,
  selectAuthorization,
  storeAttempt,
} from "../sql/authorizations.ts";
import { CALLBACK_PATH, hashOf } from "./callback-route.ts";
import { CLIENT_DOCUMENT_PATH } from "./client-document-route.ts";
import { type Attempt, type Credentials, type OAuthClient, type Sealer, sealFor, unsealOf } from "./credentials.ts";
import { createOAuthFetch } from "./oauth-fetch.ts";
import type { OperatorClients } from "./operator-clients.ts";
import { registerAtServer } from "./register-at-server.ts";

export interface AttemptOptions
  extends Sealer,
    Pick<McpContext, "database" | "now" | "fetch" | "findUrlFault" | "newId" | "baseUrl" | "isRedirectAllowed"> {
  /** For one request to an authorization server. */
  readonly oauthTimeoutMs: number;
  readonly clients: OperatorClients;
}

interface AttemptCall {
  readonly ownerId: string | null;
  readonly account: ToolAccount;
  readonly server: AccountServer;
  /** The call that waits for the account. */
  readonly executionId: string | null;
  readonly scope?: string | undefined;
  /** Of a client that somebody has registered by hand. */
  readonly clientId?: string | undefined;
  readonly clientSecret?: string | undefined;
  readonly redirectTo?: string | undefined;
}

interface StartedAttempt {
  /** Of the authorization. */
  readonly id: string;
  readonly started: { readonly authorization_url: string; readonly state: string; readonly expires_at: string };
}

const ATTEMPT_MS = 600_000;
const STATE_BYTES = 32;
const MAX_PER_OWNER = 100;
const MAX_URL_CHARS = 8_192;

/** The authorization that a tool at the address uses. */
export function targetOf(
  clients: OperatorClients,
  { ownerId, account = "owner", url }: AuthorizationKey,
): AuthorizationTarget {
  if (account === "owner") return { ownerId, account, clientId: null, url };
  const { origin } = new URL(url);
  return { ownerId, account, clientId: clients.find(origin)?.information.client_id ?? null, url: toResource(url) };
}

/** Begins a sign-in, which replaces the one before. */
export async function startAttempt(options: AttemptOptions, call: AttemptCall): Promise<StartedAttempt> {
  const { redirectTo } = call;
  if (redirectTo !== undefined && !options.isRedirectAllowed(redirectTo))
    throw invalid("redirect_to", "must belong to SITE_URL or REDIRECT_ALLOW_LIST");
  const attempt = await beginAttempt(options, call, false);
  if (attempt === null) throw new Error("an attempt that replaces others was not stored");
  return attempt;
}

/** The address of a sign-in for a call, or of one that other calls of the person wait for. */
export async function shareAttempt(
  options: AttemptOptions,
  call: AttemptCall,
): Promise<{ readonly id: string; readonly url: string }> {
  const target = targetOf(options.clients, { ...call, url: call.server.url });
  // Another call may be faster.
  for (let tries = 0; tries < 2; tries += 1) {
    const { id = "", attempt_wrapped: wrapped = null } = (await selectAuthorization(options.database, target)) ?? {};
    if (wrapped !== null) return { id, url: unsealOf<Attempt>(options, id, wrapped).url };
    const begun = await beginAttempt(options, call, true);
    if (begun !== null) return { id: begun.id, url: begun.started.authorization_url };
  }
  throw new AppError("TOOL_ERROR", "The sign-in could not be started");
}

/** Returns null when another attempt waits that the caller can share. */
async function beginAttempt(
  options: AttemptOptions,
  call: AttemptCall,
  isShared: boolean,
): Promise<StartedAttempt | null> {
  const { database, clients } = options;
  const { ownerId, account, server, redirectTo } = call;
  const urlFault = options.findUrlFault(server.url);
  if (urlFault !== null) throw new AppError("INVALID_URL", urlFault, { details: { url: urlFault } });
  const target = targetOf(clients, { ownerId, account, url: server.url });
  const redirectUrl = `${options.baseUrl()}${CALLBACK_PATH}`;
  const known = await selectAuthorization(database, target);
  const { client, scope } = await explained(() =>
    registerAtServer({
      server,
      redirectUrl,
      documentUrl: `${options.baseUrl()}${CLIENT_DOCUMENT_PATH}`,
      known: known === null ? null : findClient(options, known),
      operatorClient: target.clientId === null ? null : clients.get(target.clientId),
      clientId: call.clientId,
      clientSecret: call.clientSecret,
      scope: call.scope,
      fetchFn: createOAuthFetch(options.fetch, options.oauthTimeoutMs),
    }),
  );
  // The tokens of an account are for the resource that the server has named, and go nowhere else.
  const key = account === "owner" ? target : { ...target, url: toResource(client.resource ?? server.url) };
  const row = await prepareAuthorization(database, key, { newId: options.newId(), maxPerOwner: MAX_PER_OWNER });
  if (row === null) throw invalid("url", `is one more than the ${MAX_PER_OWNER} servers that an owner can have`);
  const state = randomBytes(STATE_BYTES).toString("base64url");
  const { startAuthorization } = await import("@modelcontextprotocol/client");
  const { authorizationUrl, codeVerifier } = await explained(() =>
    startAuthorization(client.issuerUrl, {
      clientInformation: client.information,
      redirectUrl,
      state,
      ...(client.metadata !== null && { metadata: client.metadata }),
      ...(client.resource !== null && { resource: client.resource }),
      ...(scope !== undefined && { scope }),
    }),
  );
  const { href: url, protocol } = authorizationUrl;
  // The address comes from the server, and the app opens it.
  if (!/^https?:$/.test(protocol) || url.length > MAX_URL_CHARS)
    throw new AppError("TOOL_ERROR", "The authorization server has no address that a browser can open");
  const expiresAt = new Date(options.now().getTime() + ATTEMPT_MS);
  const isStored = await storeAttempt(database, row.id, {
    stateHash: hashOf(state),
    expiresAt,
    redirectTo: redirectTo === undefined ? null : new URL(redirectTo).href,
    wrapped: sealFor(options, row.id, { client, codeVerifier, url, executionId: call.executionId }),
    isShared,
  });
  if (!isStored) return null;
  return { id: row.id, started: { authorization_url: url, state, expires_at: expiresAt.toISOString() } };
}

function toResource(url: string): string {
  const { origin, pathname } = new URL(url);
  return `${origin}${pathname.endsWith("/") ? pathname : `${pathname}/`}`;
}

function findClient(
  sealer: Sealer,
  { id, credentials_wrapped: wrapped }: Pick<AuthorizationRow, "id" | "credentials_wrapped">,
): OAuthClient | null {
  return wrapped === null ? null : unsealOf<Credentials>(sealer, id, wrapped).client;
}

export function invalid(field: string, fault: string): AppError {
  return new AppError("VALIDATION_ERROR", "The authorization cannot be started or finished", {
    details: { [field]: fault },
  });
}

/** The texts of the servers are not shown: they can contain anything. */
export async function explained<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof AppError) throw error;
    const { explainOAuthError } = await import("./explain-oauth-error.ts");
    throw new AppError("TOOL_ERROR", explainOAuthError(error).message, { cause: error });
  }
}
