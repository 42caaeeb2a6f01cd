import { timingSafeEqual } from "node:crypto";
import type { AuthContext } from "../../auth-context.ts";
import type { AuthCall } from "../../call.ts";
import { findClient, hashClientSecret, type OAuthClient } from "../clients/client.ts";
import { oauthError } from "../oauth-error.ts";
import type { Parameters } from "../read-parameters.ts";

/** Compared in place of a secret that does not exist. */
const NO_HASH = hashClientSecret("");
const BASIC = /^basic +([\w+/-]+={0,2})$/i;

/** The client that calls, which has proved to be this client if it has a secret. */
export async function authenticateClient(
  context: AuthContext,
  call: Pick<AuthCall, "headers">,
  parameters: Parameters,
): Promise<OAuthClient> {
  const { id, secret, method } = readCredentials(call, parameters);
  const client = await findClient(context, id);
  const isSame = timingSafeEqual(hashClientSecret(secret ?? ""), client?.secretHash ?? NO_HASH);
  if (client?.authMethod === method && (method === "none" || (isSame && client.secretHash !== null))) return client;
  context.observer.note("oauth.client_refused", { clientId: client?.id ?? null, method });
  const registered = client === null || client.authMethod === method ? "" : `: it has registered ${client.authMethod}`;
  throw oauthError("invalid_client", `The client could not be authenticated${registered}`, {
    status: 401,
    headers: { "www-authenticate": 'Basic realm="oauth"' },
  });
}

interface Credentials {
  readonly id: string;
  readonly secret: string | undefined;
  readonly method: OAuthClient["authMethod"];
}

function readCredentials({ headers }: Pick<AuthCall, "headers">, parameters: Parameters): Credentials {
  const [id, secret] = [parameters.get("client_id"), parameters.get("client_secret")];
  if (parameters.get("client_assertion") !== undefined)
    throw oauthError("invalid_client", "Assertions of clients are not supported", { status: 401 });
  const { authorization } = headers;
  if (authorization === undefined || !/^basic /i.test(authorization)) {
    if (id === undefined) throw oauthError("invalid_request", "client_id is required");
    return { id, secret, method: secret === undefined ? "none" : "client_secret_post" };
  }
  const basic = readBasic(authorization);
  if (basic === null) throw oauthError("invalid_request", "The header Authorization is not valid");
  if (secret !== undefined || (id !== undefined && id !== basic.id))
    throw oauthError("invalid_request", "The client has authenticated in two ways");
  return { ...basic, method: "client_secret_basic" };
}

/** Both parts are encoded as in forms (RFC 6749, section 2.3.1). */
function readBasic(authorization: string): { readonly id: string; readonly secret: string } | null {
  const text = Buffer.from(BASIC.exec(authorization.trim())?.[1] ?? "", "base64").toString();
  const parts = /^([^:]+):([^:]*)$/.exec(text)?.slice(1) ?? [];
  try {
    const [id, secret] = parts.map((part) => decodeURIComponent(part.replaceAll("+", " ")));
    return id === undefined || secret === undefined ? null : { id, secret };
  } catch {
    return null;
  }
}
