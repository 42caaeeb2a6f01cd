import { hash } from "node:crypto";
import type { AuthContext } from "../../auth-context.ts";
import { findUnstorable } from "../../find-unstorable.ts";
import { type ClientRow, findClientRow } from "../../sql/oauth-clients.ts";

/** A program that asks people for access to their data. */
export interface OAuthClient {
  readonly id: string;
  readonly registration: ClientRow["registration"];
  readonly name: string;
  readonly clientUri: string | null;
  readonly logoUri: string | null;
  readonly redirectUris: readonly string[];
  readonly grantTypes: readonly string[];
  readonly authMethod: ClientRow["token_endpoint_auth_method"];
  readonly secretHash: Buffer | null;
  /** Null means all that its registration permits. */
  readonly scopes: readonly string[] | null;
}

type ClientContext = Pick<AuthContext, "pool" | "clientDocuments">;

/** Returns null when there is no such client, or the document at this address describes none. */
export async function findClient(context: ClientContext, id: string): Promise<OAuthClient | null> {
  const stored = isStorable(id) ? await findClientRow(context.pool, id) : null;
  const row = isDocumentId(id) ? await context.clientDocuments.find(id, stored) : stored;
  return row === null ? null : toClient(row);
}

/** Says why `findClient` has found nothing, for the page or the answer that the developer of the client sees. */
export function explainUnknownClient({ clientDocuments }: Pick<ClientContext, "clientDocuments">, id: string): string {
  const fault = isDocumentId(id) ? clientDocuments.faultOf(id) : null;
  return fault === null ? "No client has this id" : `This client cannot be used: ${fault}`;
}

function isDocumentId(id: string): boolean {
  return id.startsWith("https://");
}

function isStorable(id: string): boolean {
  return findUnstorable(id) === null;
}

export function toClient(row: ClientRow): OAuthClient {
  return {
    id: row.id,
    registration: row.registration,
    name: row.name,
    clientUri: row.client_uri,
    logoUri: row.logo_uri,
    redirectUris: row.redirect_uris,
    grantTypes: row.grant_types,
    authMethod: row.token_endpoint_auth_method,
    secretHash: row.secret_hash,
    scopes: row.scopes,
  };
}

const OPEN_SCOPES = ["read", "write", "run", "openid", "email", "profile", "offline_access"] as const;
/** Only for clients that an operator has created: they let a program decide in the name of the person. */
const MANUAL_SCOPES = ["approve", "share"] as const;

/** All scopes that a client can have. */
export const CLIENT_SCOPES: readonly string[] = [...OPEN_SCOPES, ...MANUAL_SCOPES];

/** All scopes that the client may ask for. */
export function permittedScopes({ registration, scopes }: Pick<OAuthClient, "registration" | "scopes">): string[] {
  const permitted: readonly string[] = registration === "manual" ? CLIENT_SCOPES : OPEN_SCOPES;
  return permitted.filter((scope) => scopes === null || scopes.includes(scope));
}

/** A plain hash is enough: a secret of a client is random and long, so nobody can find it by guessing. */
export function hashClientSecret(secret: string): Buffer {
  return hash("sha256", secret, "buffer");
}

const MAX_URI_LENGTH = 2048;
const PRINTABLE = /^[!-~]+$/;
/** `com.example.app:/callback`: the domain shows whose app it is, and no scheme of a browser has a dot. */
const OWN_SCHEME = /^[a-z][a-z0-9+-]*(?:\.[a-z0-9+-]+)+:/;
/** The origin without its port, and the rest. */
const LOOPBACK = /^(http:\/\/(?:127\.0\.0\.1|\[::1\]|localhost))(?::\d{1,5})?([/?].*)?$/;

/** Says why a client may not register this redirect URI; null when it may. */
export function findRedirectFault(uri: string): string | null {
  const url = URL.parse(uri);
  if (uri.length > MAX_URI_LENGTH) return `must have at most ${MAX_URI_LENGTH} characters`;
  // A parser drops or replaces other characters, so two readers could understand different addresses.
  if (url === null || !PRINTABLE.test(uri) || uri.includes("\\")) return "must be an absolute URI";
  if (uri.includes("#")) return "must not have a fragment";
  if (uri.includes("*")) return "must not have wildcards";
  if (url.username !== "" || url.password !== "" || /^[^/]*\/\/[^/?]*@/.test(uri))
    return "must not have user information";
  if (/^https:\/\/[^/]/.test(uri) || LOOPBACK.test(uri) || OWN_SCHEME.test(uri)) return null;
  return "must be an https URL, an http URL of this device (127.0.0.1, [::1], localhost), or have a scheme like com.example.app";
}

/** Compares exactly, except for the port of an app on the device of the person, which gets another one each time (RFC 8252). */
export function isRegisteredRedirect({ redirectUris }: Pick<OAuthClient, "redirectUris">, uri: string): boolean {
  if (redirectUris.includes(uri)) return true;
  const asked = LOOPBACK.exec(uri);
  if (asked === null || findRedirectFault(uri) !== null) return false;
  return redirectUris.some((registered) => {
    const known = LOOPBACK.exec(registered);
    return known !== null && known[1] === asked[1] && known[2] === asked[2];
  });
}

/** Whether only the owner of the address receives what is sent there. Any app on a device can listen on it or claim a scheme. */
export function isMemorableRedirect(uri: string): boolean {
  const url = URL.parse(uri);
  return url?.protocol === "https:" && !/^(?:localhost|.*\.localhost|127\.[\d.]+|\[::1\])\.?$/.test(url.hostname);
}

/** Who is responsible for the client, as far as that is known: for documents it is proven, otherwise claimed. */
export function clientHost({
  id,
  registration,
  clientUri,
}: Pick<OAuthClient, "id" | "registration" | "clientUri">): string | null {
  return URL.parse(registration === "document" ? id : (clientUri ?? ""))?.host ?? null;
}
