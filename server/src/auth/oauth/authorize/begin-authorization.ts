import type { AuthContext } from "../../auth-context.ts";
import type { AuthCall, AuthResponse } from "../../call.ts";
import { addToQuery, siteUrlOf } from "../../one-time/links.ts";
import { insertAuthorization } from "../../sql/oauth-authorizations.ts";
import {
  explainUnknownClient,
  findClient,
  isRegisteredRedirect,
  type OAuthClient,
  permittedScopes,
} from "../clients/client.ts";
import { AppError } from "../../../errors/index.ts";
import { oauthCodeOf, oauthError } from "../oauth-error.ts";
import { type Parameters, readParameters } from "../read-parameters.ts";
import { findResource } from "../find-resource.ts";
import { redirectToClient, toConsentPage } from "./redirects.ts";

/** The time for reading and for a sign-in on the way. */
const LIFE_MS = 10 * 60 * 1000;
const S256_CHALLENGE = /^[\w-]{43}$/;
const DEFAULT_SCOPES = ["read", "run"];
const MAX_AGE = /^\d{1,9}$/;

/** GET /oauth/authorize: stores what the client asks for, and sends the browser to the page that asks the person. */
export async function beginAuthorization(context: AuthContext, call: AuthCall): Promise<AuthResponse> {
  requireNavigation(call);
  const parameters = readParameters(call.search);
  const { client, redirectUri } = await requireClient(context, parameters);
  const state = parameters.get("state") ?? null;
  try {
    const request = readRequest(context, client, parameters);
    const id = await insertAuthorization(context.pool, {
      ...request,
      client_id: client.id,
      redirect_uri: redirectUri,
      state,
      expires_at: new Date(context.clock.now().getTime() + LIFE_MS),
    });
    return toConsentPage(addToQuery(consentUrlOf(context), { authorization_id: id }));
  } catch (error) {
    const code = error instanceof AppError ? oauthCodeOf(error) : null;
    // Anybody can describe a client, whose address could then pass for a link to this service (RFC 9700, section 4.11.2).
    if (!(error instanceof AppError) || code === null || client.registration !== "manual") throw error;
    const answer = { error: code, error_description: error.message };
    return toConsentPage(redirectToClient(context, { redirect_uri: redirectUri, state }, answer));
  }
}

/** A page that shows itself in a frame, or a script, has no reason to call this. Only browsers send these headers. */
function requireNavigation({ headers }: AuthCall): void {
  const { "sec-fetch-site": site, "sec-fetch-dest": destination } = headers;
  if (site !== undefined && destination !== undefined && destination !== "document")
    throw oauthError("invalid_request", "The request is not one of a browser that follows a link");
}

/** Until both are known, nobody knows where errors may be sent. */
async function requireClient(
  context: AuthContext,
  parameters: Parameters,
): Promise<{ readonly client: OAuthClient; readonly redirectUri: string }> {
  const id = parameters.get("client_id");
  const client = id === undefined ? null : await findClient(context, id);
  if (id === undefined) throw oauthError("invalid_request", "client_id must be given once");
  if (client === null) throw oauthError("invalid_request", explainUnknownClient(context, id));
  const redirectUri = parameters.get("redirect_uri");
  if (redirectUri === undefined || !isRegisteredRedirect(client, redirectUri))
    throw oauthError("invalid_request", "redirect_uri must be given once and be one that the client has registered");
  return { client, redirectUri };
}

function readRequest(context: AuthContext, client: OAuthClient, parameters: Parameters) {
  const { fault } = parameters;
  if (fault !== null) throw oauthError("invalid_request", fault);
  for (const name of ["request", "request_uri"] as const)
    if (parameters.get(name) !== undefined)
      throw oauthError(`${name}_not_supported`, `The parameter ${name} is not supported`);
  const type = parameters.get("response_type");
  if (type === undefined) throw oauthError("invalid_request", "response_type is required");
  if (type !== "code") throw oauthError("unsupported_response_type", "response_type must be code");
  if ((parameters.get("response_mode") ?? "query") !== "query")
    throw oauthError("invalid_request", "response_mode must be query");
  if (!client.grantTypes.includes("authorization_code"))
    throw oauthError("unauthorized_client", "The client may not use the grant type authorization_code");
  const challenge = parameters.get("code_challenge");
  if (challenge === undefined || parameters.get("code_challenge_method") !== "S256" || !S256_CHALLENGE.test(challenge))
    throw oauthError("invalid_request", "PKCE is required: send code_challenge, with code_challenge_method S256");
  const resource = findResource(context, parameters.get("resource"));
  if (resource === null) throw oauthError("invalid_target", "resource names no address of this service");
  return {
    code_challenge: challenge,
    nonce: parameters.get("nonce") ?? null,
    resource,
    scopes: readScopes(context, client, parameters.get("scope")),
    ...readPrompt(context, parameters),
  };
}

function readScopes({ keyRing }: AuthContext, client: OAuthClient, scope: string | undefined): readonly string[] {
  const permitted = permittedScopes(client);
  const given = client.registration === "manual" && client.scopes !== null ? permitted : DEFAULT_SCOPES;
  const wanted = scope?.split(" ").filter((name) => name !== "") ?? given.filter((name) => permitted.includes(name));
  const unknown = wanted.find((name) => !permitted.includes(name));
  if (unknown !== undefined || wanted.length === 0)
    throw oauthError("invalid_scope", `The client may ask for these scopes: ${permitted.join(" ")}`);
  // Nobody but the service can verify what such a key signs.
  if (wanted.includes("openid") && keyRing.current.algorithm === "HS256")
    throw oauthError("invalid_scope", "There are no ID tokens while the signing key is a shared secret");
  return permitted.filter((name) => wanted.includes(name));
}

/** There is no session in a cookie: whether somebody is signed in is known only when the consent page asks. */
function readPrompt({ clock }: AuthContext, parameters: Parameters) {
  const prompts = parameters.get("prompt")?.split(" ") ?? [];
  if (prompts.includes("none")) {
    if (prompts.length > 1) throw oauthError("invalid_request", "prompt=none cannot be combined");
    throw oauthError("login_required", "The person must be asked");
  }
  const maxAge = parameters.get("max_age");
  if (maxAge !== undefined && !MAX_AGE.test(maxAge))
    throw oauthError("invalid_request", "max_age must be a number of seconds");
  const isLogin = prompts.includes("login");
  const ageSeconds = isLogin ? 0 : maxAge === undefined ? null : Number(maxAge);
  return {
    is_asked: isLogin || prompts.includes("consent"),
    authenticated_after: ageSeconds === null ? null : new Date(clock.now().getTime() - ageSeconds * 1000),
  };
}

function consentUrlOf(context: AuthContext): string {
  const { settings, baseUrl } = context;
  return settings.oauthConsentUrl ?? `${settings.consoleEnabled ? baseUrl : siteUrlOf(context)}/oauth/consent`;
}
