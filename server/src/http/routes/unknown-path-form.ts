import type { Route } from "../route.ts";
import type { ErrorForm } from "../route-request.ts";

/** Returns how errors of a path without a route are rendered: as those of the routes that begin with the same segment, if all of them have a form. */
export function buildUnknownPathForm(
  routes: readonly Pick<Route, "path" | "renderError">[],
): (path: string) => ErrorForm | undefined {
  const forms = new Map<string, ErrorForm | undefined>();
  for (const { path, renderError } of routes) {
    const segment = firstSegmentOf(path);
    const known = forms.has(segment) ? forms.get(segment) : renderError;
    forms.set(segment, renderError === undefined ? undefined : known);
  }
  return (path) => forms.get(firstSegmentOf(path));
}

function firstSegmentOf(path: string): string {
  return path.split(/[/?]/, 2)[1] ?? "";
}
