import type { AuthEndpoint } from "./call.ts";
import { describeAuthorizationServer } from "./oauth/describe-authorization-server.ts";

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
