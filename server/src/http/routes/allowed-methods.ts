import type { Route } from "../route.ts";

export type AllowedMethods = (path: string) => string[];
type RouteMethod = Pick<Route, "method" | "path" | "isHeadRejected">;

/** Returns the methods of a path for the `Allow` header; an empty list means 404. Used only when no route matches. */
export function buildAllowedMethods(routes: readonly RouteMethod[]): AllowedMethods {
  const patterns = routes.map(({ path, ...route }) => ({ ...route, pattern: toPattern(path) }));
  return (path) => {
    const methods = new Set<string>();
    for (const { method, pattern, isHeadRejected } of patterns) {
      if (!pattern.test(path)) continue;
      methods.add(method);
      if (method === "GET" && isHeadRejected !== true) methods.add("HEAD");
    }
    if (methods.size > 0) methods.add("OPTIONS");
    return [...methods].sort();
  };
}

function toPattern(path: string): RegExp {
  const segments = path.split("/").map((segment) => {
    if (segment === "*") return ".*";
    return segment.startsWith(":") ? "[^/]+" : segment.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
  });
  return new RegExp(`^${segments.join("/")}$`);
}
