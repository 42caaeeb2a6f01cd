import type { Route } from "../route.ts";

const PREFIX = "/.well-known/oauth-protected-resource";
/** As for the keys of access tokens. */
const CACHE_CONTROL = "public, max-age=600";
/** What every program may ask for. Further scopes are for those that an administrator has registered. */
const SCOPES = ["read", "write", "run"];

/** Where a program reads how it gets a token for a resource (RFC 9728). */
export function resourceMetadataOf(baseUrl: string, resource: string): string {
  return `${baseUrl}${PREFIX}${resource}`;
}

/** The metadata of the API, and of each resource that the routes belong to. */
export function protectedResourceRoutes(
  routes: readonly Pick<Route, "resource">[],
  context: { readonly baseUrl: string },
): Route[] {
  const resources = new Set(["", ...routes.flatMap(({ resource }) => resource ?? [])]);
  return [...resources].map((resource) => ({
    method: "GET",
    path: PREFIX + resource,
    access: "public",
    limit: "api",
    handler: (_request, reply) =>
      reply.header("cache-control", CACHE_CONTROL).send({
        resource: context.baseUrl + resource,
        authorization_servers: [`${context.baseUrl}/auth/v1`],
        scopes_supported: SCOPES,
        bearer_methods_supported: ["header"],
        resource_name: resource === "" ? "Swarmbase" : `Swarmbase ${resource}`,
      }),
  }));
}
