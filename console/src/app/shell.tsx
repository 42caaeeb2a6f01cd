import { lazy, Suspense, useMemo, useState } from "react";
import { NOTICES_ID } from "../components/notices.ts";
import { useTitleCount } from "../components/page-title.ts";
import { PageSkeleton } from "../components/skeleton.tsx";
import { Outlet, ScrollRestoration, useNavigation } from "react-router";
import { useApprovals } from "../data/approvals.ts";
import { useHeldCopy } from "../data/held-copy.ts";
import { useInvitations } from "../data/invitations.ts";
import { usePasskeyOffer } from "../data/passkey-offer.ts";
import { useUser } from "../data/session.ts";
import { AskedProof } from "./asked-proof.tsx";
import { ConnectionBanner } from "./connection-banner.tsx";
import { BottomBar, SideNav } from "./navigation.tsx";
import type { Overlay } from "./overlay.ts";
import type { Waiting } from "./side-links.tsx";
import { useApprovalNotices } from "./use-approval-notices.ts";
import { useHotkeys } from "./use-hotkeys.ts";
import { useShellCommands } from "./use-shell-commands.tsx";
import { usePageFocus } from "./use-page-focus.ts";

const HeldCopyBanner = lazy(async () => ({ default: (await import("./held-copy-banner.tsx")).HeldCopyBanner }));
const Palette = lazy(async () => ({ default: (await import("./palette.tsx")).Palette }));
const PasskeyOffer = lazy(async () => ({ default: (await import("./passkey-offer.tsx")).PasskeyOffer }));
const ShortcutsSheet = lazy(async () => ({ default: (await import("./shortcuts-sheet.tsx")).ShortcutsSheet }));

/** The frame around every page of a signed-in user. */
export function Shell() {
  const [overlay, setOverlay] = useState<Overlay>(null);
  const isHeldCopy = useHeldCopy();
  const isGoing = useNavigation().state !== "idle";
  useShellCommands(setOverlay);
  useHotkeys(overlay === null, setOverlay);
  usePageFocus();
  const waiting = useWaiting();
  const isOffered = usePasskeyOffer(useUser().id);
  return (
    <div className="min-h-dvh lg:grid lg:grid-cols-[15rem_minmax(0,1fr)]">
      <a
        href="#page"
        className="fixed top-2 left-2 z-50 -translate-y-20 rounded-md bg-accent px-4 py-2 font-medium text-on-accent focus:translate-y-0"
      >
        Skip to content
      </a>
      <SideNav openPalette={() => setOverlay("palette")} waiting={waiting} />
      <div className="min-w-0">
        <div
          aria-hidden
          className={`fixed inset-x-0 top-0 z-50 h-0.5 bg-accent ${isGoing ? "animate-pulse-soft opacity-100" : "opacity-0"}`}
        />
        {/* Always rendered, so that a page that fills the screen can observe its height. */}
        <div id={NOTICES_ID} className="sticky top-0 z-20">
          <Suspense>{isHeldCopy && <HeldCopyBanner />}</Suspense>
          <ConnectionBanner />
          <Suspense>{isOffered && <PasskeyOffer />}</Suspense>
        </div>
        <main
          id="page"
          tabIndex={-1}
          className="mx-auto w-full max-w-6xl px-4 pt-6 pb-28 outline-none has-[[data-fills]]:max-w-none! has-[[data-fills]]:p-0! sm:px-8 lg:pt-10 lg:pb-16"
        >
          <Suspense fallback={<PageSkeleton />}>
            <Outlet />
          </Suspense>
        </main>
      </div>
      <BottomBar openPalette={() => setOverlay("palette")} waiting={waiting} />
      <Suspense>
        {overlay === "palette" && <Palette onClose={() => setOverlay(null)} />}
        {overlay === "shortcuts" && <ShortcutsSheet onClose={() => setOverlay(null)} />}
      </Suspense>
      <AskedProof />
      <ScrollRestoration />
    </div>
  );
}

/** Counts what the user has to answer, for the navigation and, if an agent waits for it, for the title of the tab. */
function useWaiting(): ReadonlyMap<string, Waiting> {
  const invitations = useInvitations().rows?.length ?? 0;
  const { rows } = useApprovals();
  useApprovalNotices(rows);
  const approvals = rows?.length ?? 0;
  useTitleCount(approvals);
  return useMemo(() => {
    const counts: readonly (readonly [string, Waiting])[] = [
      ["/swarms", { count: invitations, noun: invitations === 1 ? "invitation" : "invitations" }],
      ["/approvals", { count: approvals, noun: "waiting" }],
    ];
    return new Map(counts.filter(([, { count }]) => count > 0));
  }, [invitations, approvals]);
}
