import { Suspense, useState } from "react";
import { Outlet } from "react-router";
import { EmptyState } from "../../components/empty-state.tsx";
import { NOTICES_ID } from "../../components/notices.ts";
import { PageSkeleton } from "../../components/skeleton.tsx";
import { portalToken } from "../../data/portal.ts";
import { useStore } from "../../data/store.ts";
import { ConnectionBanner } from "../connection-banner.tsx";

/** The frame around every page of the portal. A page whose token has ended is kept, so that another token continues it. */
export function PortalShell() {
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
