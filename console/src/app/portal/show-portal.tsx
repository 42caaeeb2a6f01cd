import { Suspense, useState } from "react";
import type { Root } from "react-dom/client";
import { createBrowserRouter, Navigate, Outlet, type RouteObject } from "react-router";
import { EmptyState } from "../../components/empty-state.tsx";
import { NOTICES_ID } from "../../components/notices.ts";
import { PageSkeleton } from "../../components/skeleton.tsx";
import { loadClient } from "../../data/client.ts";
import { onReconnect } from "../../data/connection.ts";
import { endPortal, startPortal } from "../../data/portal-token.ts";
import { PORTAL_PATH, portalToken } from "../../data/portal.ts";
import { createQueries } from "../../data/query-client.ts";
import { useStore } from "../../data/store.ts";
import { App } from "../app.tsx";
import { ConnectionBanner } from "../connection-banner.tsx";
import { PageFailure } from "../error-boundary.tsx";
import { lazyPage } from "../lazy-page.ts";
import { Starting } from "../starting.tsx";

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

export async function showPortal(root: Root): Promise<void> {
  const queries = createQueries(endPortal);
  startPortal(() => void queries.resetQueries());
  await loadClient(async () => portalToken.get());
  onReconnect(() => void queries.invalidateQueries());
  root.render(<App queries={queries} router={createPortalRouter()} />);
}

function createPortalRouter(): ReturnType<typeof createBrowserRouter> {
  return createBrowserRouter(ROUTES, { basename: PORTAL_PATH });
}

/** The frame around every page of the portal. A page whose token has ended is kept, so that another token continues it. */
function PortalShell() {
  const hasEnded = useStore(portalToken) === "";
  const [hasBegun, setBegun] = useState(!hasEnded);
  if (!hasEnded && !hasBegun) setBegun(true);
  return (
    <>
      <div id={NOTICES_ID} className="sticky top-0 z-20">
        <ConnectionBanner />
      </div>
      <main id="page" tabIndex={-1} className="mx-auto w-full max-w-6xl px-4 py-6 outline-none sm:px-8">
        {hasEnded && (
          <div role="alert">
            <EmptyState picture="webhooks" title="This page has ended">
              A link to it is valid for 15 minutes, and a reload ends it. Open it again where you found it.
            </EmptyState>
          </div>
        )}
        {hasBegun && (
          <div hidden={hasEnded}>
            <Suspense fallback={<PageSkeleton />}>
              <Outlet />
            </Suspense>
          </div>
        )}
      </main>
    </>
  );
}
