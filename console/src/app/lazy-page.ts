import { type ComponentType, lazy } from "react";
import type { RouteObject } from "react-router";
import { getAccessToken } from "../data/session.ts";

interface LazyPageOptions {
  load(): Promise<ComponentType>;
  /** A visitor without a session is redirected, and does not load the page. */
  readonly needsSession: boolean;
}

/** The parts of a route whose files a navigation waits for: until they arrive, the previous page stays on the screen. */
export function lazyPage({ load, needsSession }: LazyPageOptions) {
  let loaded: Promise<{ default: ComponentType }> | null = null;
  const start = () =>
    (loaded ??= load().then(
      (page) => ({ default: page }),
      (error: unknown) => {
        // The next navigation requests the files again.
        loaded = null;
        throw error;
      },
    ));
  return {
    Component: lazy(start),
    loader: async () => {
      if (!needsSession || getAccessToken() !== null) await start();
      return null;
    },
    shouldRevalidate: () => false,
  } satisfies RouteObject;
}
