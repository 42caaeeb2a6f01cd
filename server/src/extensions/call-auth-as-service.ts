import { type AuthContext, authEndpoints } from "../auth/index.ts";
import { SERVICE_PRINCIPAL } from "../db/index.ts";
import { AppError } from "../errors/index.ts";
import type { ExtensionAuthAnswer, ExtensionAuthCall } from "./port.ts";

/** The endpoints count by address and log it; a call within the process has none but this one. */
const LOOPBACK = "127.0.0.1";

/** Runs an endpoint of the service role in the same process. Endpoints of users need a session, which nobody has here. */
export async function callAuthAsService(
  context: AuthContext,
  { method, path, query = {}, body = {} }: ExtensionAuthCall,
): Promise<ExtensionAuthAnswer> {
  for (const endpoint of authEndpoints) {
    const params = endpoint.method === method && endpoint.access === "service" ? matchPath(endpoint.path, path) : null;
    if (params === null) continue;
    // As it arrives over HTTP: values that JSON cannot represent are gone.
    const sent: unknown = JSON.parse(JSON.stringify(body));
    const call = { query, search: "", params, body: sent, headers: {}, address: LOOPBACK, userAgent: null };
    return endpoint.run(context, { ...call, principal: SERVICE_PRINCIPAL });
  }
  throw new AppError("NOT_FOUND", `The service role has no endpoint ${method} ${path}`);
}

/** The values of the `:name` segments; null when the path does not match. */
function matchPath(pattern: string, path: string): Record<string, string> | null {
  const wanted = pattern.split("/");
  const given = path.split("/");
  if (wanted.length !== given.length) return null;
  const params: Record<string, string> = {};
  for (const [index, segment] of wanted.entries()) {
    const value = given[index] ?? "";
    if (segment.startsWith(":")) params[segment.slice(1)] = decodeURIComponent(value);
    else if (segment !== value) return null;
  }
  return params;
}
