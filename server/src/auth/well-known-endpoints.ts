import type { AuthContext } from "./auth-context.ts";
import type { AuthEndpoint } from "./call.ts";
import { permittedScopes } from "./oauth/clients/client.ts";

/** Clients of this protocol cache the list this long anyway, and reload it when they meet an unknown key. */
const CACHE_CONTROL = "public, max-age=600";

/** Where RFC 8414 and OpenID Connect look for the document of the issuer: between host and path, or after the path. */
const METADATA: readonly Pick<AuthEndpoint, "path" | "isOutside">[] = [
  { path: "/.well-known/openid-configuration" },
  { path: "/.well-known/oauth-authorization-server" },
  { path: "/.well-known/openid-configuration/auth/v1", isOutside: true },
  { path: "/.well-known/oauth-authorization-server/auth/v1", isOutside: true },
];

export const wellKnownEndpoints: readonly AuthEndpoint[] = [
  {
    method: "GET",
    path: "/.well-known/jwks.json",
    access: "public",
    limit: "api",
    run: async ({ keyRing }) => ({
      status: 200,
      headers: { "cache-control": CACHE_CONTROL },
      body: { keys: keyRing.jwks },
    }),
  },
  ...METADATA.map(
    (place): AuthEndpoint => ({
      method: "GET",
      ...place,
      access: "public",
      limit: "api",
      run: async (context) => ({
        status: 200,
        headers: { "cache-control": CACHE_CONTROL },
        body: describeAuthorizationServer(context),
      }),
    }),
  ),
];

/** What clients need to know (RFC 8414, OpenID Connect Discovery). A client can ask for all of the scopes. */
function describeAuthorizationServer({ baseUrl, keyRing, settings }: AuthContext): Record<string, unknown> {
  const issuer = `${baseUrl}/auth/v1`;
  const { algorithm } = keyRing.current;
  const isVerifiable = algorithm !== "HS256";
  const methods = ["none", "client_secret_basic", "client_secret_post"];
  const scopes = permittedScopes({ registration: "dynamic", scopes: null });
  return {
    issuer,
    authorization_endpoint: `${issuer}/oauth/authorize`,
    token_endpoint: `${issuer}/oauth/token`,
    revocation_endpoint: `${issuer}/oauth/revoke`,
    userinfo_endpoint: `${issuer}/oauth/userinfo`,
    jwks_uri: `${issuer}/.well-known/jwks.json`,
    ...(settings.oauthDynamicRegistrationEnabled && { registration_endpoint: `${issuer}/oauth/register` }),
    scopes_supported: scopes.filter((scope) => scope !== "openid" || isVerifiable),
    response_types_supported: ["code"],
    response_modes_supported: ["query"],
    grant_types_supported: ["authorization_code", "refresh_token"],
    token_endpoint_auth_methods_supported: methods,
    revocation_endpoint_auth_methods_supported: methods,
    code_challenge_methods_supported: ["S256"],
    authorization_response_iss_parameter_supported: true,
    client_id_metadata_document_supported: true,
    subject_types_supported: ["public"],
    id_token_signing_alg_values_supported: [isVerifiable ? algorithm : "ES256"],
    prompt_values_supported: ["none", "login", "consent"],
    claims_supported: "sub iss aud exp iat auth_time nonce email email_verified name picture".split(" "),
    request_parameter_supported: false,
    request_uri_parameter_supported: false,
    claims_parameter_supported: false,
  };
}
