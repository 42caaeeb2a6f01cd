import { type AuthEndpoint, authEndpoints } from "../../../src/auth/index.ts";

export interface FoundEndpoint {
  readonly endpoint: AuthEndpoint;
  readonly params: Record<string, string>;
}

/** Literal segments take precedence over parameters, as in the router. */
export function findEndpoint(method: AuthEndpoint["method"], path: string): FoundEndpoint {
  const found = authEndpoints
    .filter((endpoint) => endpoint.method === method)
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
