import type { AuthContext } from "../auth-context.ts";

/** What a client can ask for is relative to one of these addresses (RFC 8707): the API, and protocols beside it. */
const RESOURCE_PATHS = ["", "/mcp", "/a2a"] as const;

/** The resource that a client has named; absent means the API. Null means that it is none of this service. */
export function findResource({ baseUrl }: Pick<AuthContext, "baseUrl">, named: string | undefined): string | null {
  const wanted = (named ?? baseUrl).replace(/\/$/, "");
  return RESOURCE_PATHS.map((path) => `${baseUrl}${path}`).find((resource) => resource === wanted) ?? null;
}
