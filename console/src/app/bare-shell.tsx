import { Suspense } from "react";
import { Outlet } from "react-router";
import { Logo } from "../components/logo.tsx";
import { NOTICES_ID } from "../components/notices.ts";
import { PageSkeleton } from "../components/skeleton.tsx";
import { AskedProof } from "./asked-proof.tsx";
import { ConnectionBanner } from "./connection-banner.tsx";

/** The frame around a page that a signed-in user has not come to from the console: it leads nowhere else. */
export function BareShell() {
  return (
    <>
      <div id={NOTICES_ID} className="sticky top-0 z-20">
        <ConnectionBanner />
      </div>
      <div className="mx-auto grid w-full max-w-xl grid-cols-1 gap-6 px-4 py-6 sm:px-8 sm:py-10">
        <header className="flex items-center gap-2.5 text-lg font-semibold">
          <Logo />
          Swarmbase
        </header>
        <main id="page" tabIndex={-1} className="min-w-0 outline-none">
          <Suspense fallback={<PageSkeleton />}>
            <Outlet />
          </Suspense>
        </main>
      </div>
      <AskedProof />
    </>
  );
}
