import { accountEndpoints } from "../../../src/auth/accounts/endpoints.ts";
import { adminEndpoints } from "../../../src/auth/admin/endpoints.ts";
import type { AuthEndpoint } from "../../../src/auth/call.ts";
import { mfaEndpoints } from "../../../src/auth/mfa/endpoints.ts";
import { oneTimeEndpoints } from "../../../src/auth/one-time/endpoints.ts";
import { wellKnownEndpoints } from "../../../src/auth/well-known-endpoints.ts";

const ENDPOINTS: readonly AuthEndpoint[] = [
  ...wellKnownEndpoints,
  ...accountEndpoints,
  ...oneTimeEndpoints,
  ...mfaEndpoints,
  ...adminEndpoints,
];

export interface FoundEndpoint {
  readonly endpoint: AuthEndpoint;
  readonly params: Record<string, string>;
}

/** Literal segments take precedence over parameters, as in the router. */
export function findEndpoint(method: AuthEndpoint["method"], path: string): FoundEndpoint {
  const found = ENDPOINTS.filter((endpoint) => endpoint.method === method)
    .flatMap((endpoint) => {
      const params = matchPath(endpoint.path, path);
      return params === null ? [] : [{ endpoint, params }];
    })
    .sort((one, other) => Object.keys(one.params).length - Object.keys(other.params).length);
  const [first] = found;
  if (first === undefined) throw new Error(`no endpoint ${method} ${path}`);
  return first;
}

function matchPath(pattern: string, path: string): Record<string, string> | null {
  const wanted = pattern.split("/");
  const given = path.split("/");
  if (wanted.length !== given.length) return null;
  const params: Record<string, string> = {};
  for (const [place, part] of wanted.entries()) {
    const text = given[place] ?? "";
    if (part.startsWith(":")) params[part.slice(1)] = decodeURIComponent(text);
    else if (part !== text) return null;
  }
  return params;
}
