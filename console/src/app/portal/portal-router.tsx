import { createBrowserRouter, Navigate, type RouteObject } from "react-router";
import { PORTAL_PATH } from "../../data/portal.ts";
import { PageFailure } from "../error-boundary.tsx";
import { lazyPage } from "../lazy-page.ts";
import { Starting } from "../starting.tsx";
import { PortalShell } from "./portal-shell.tsx";

/** The pages of webhooks and no others. The links between them are the same as in the console. */
const ROUTES: RouteObject[] = [
  {
    ErrorBoundary: PageFailure,
    HydrateFallback: Starting,
    element: <PortalShell />,
    children: [
      {
        path: "webhooks/*",
        ...lazyPage({
          load: async () => (await import("../../pages/webhooks/index.tsx")).WebhooksPage,
          needsSession: false,
        }),
      },
      { path: "*", element: <Navigate to="/webhooks" replace /> },
    ],
  },
];

export function createPortalRouter(): ReturnType<typeof createBrowserRouter> {
  return createBrowserRouter(ROUTES, { basename: PORTAL_PATH });
}
