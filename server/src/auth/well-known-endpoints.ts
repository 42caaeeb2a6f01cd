import type { AuthEndpoint } from "./call.ts";

/** Clients of this protocol cache the list this long anyway, and reload it when they meet an unknown key. */
const CACHE_CONTROL = "public, max-age=600";

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
  {
    method: "GET",
    path: "/.well-known/openid-configuration",
    access: "public",
    limit: "api",
    run: async ({ baseUrl, keyRing }) => ({
      status: 200,
      headers: { "cache-control": CACHE_CONTROL },
      body: describeIssuer(`${baseUrl}/auth/v1`, keyRing.current.algorithm),
    }),
  },
];

/** Only what is supported: there are no third-party applications to authorize. */
function describeIssuer(issuer: string, algorithm: string): Record<string, unknown> {
  return {
    issuer,
    authorization_endpoint: `${issuer}/authorize`,
    token_endpoint: `${issuer}/token`,
    userinfo_endpoint: `${issuer}/user`,
    jwks_uri: `${issuer}/.well-known/jwks.json`,
    response_types_supported: ["code"],
    response_modes_supported: ["query"],
    grant_types_supported: ["password", "refresh_token", "pkce"],
    subject_types_supported: ["public"],
    id_token_signing_alg_values_supported: [algorithm],
    token_endpoint_auth_methods_supported: ["none"],
    code_challenge_methods_supported: ["S256", "plain"],
    claims_supported: ["sub", "iss", "aud", "exp", "iat", "email", "phone", "role", "aal", "amr", "session_id"],
  };
}
