import { BookOpen, LogOut, Moon, Sun, SunMoon } from "lucide-react";
import { lazy, Suspense, useEffect, useLayoutEffect, useMemo, useRef, useState } from "react";
import { Outlet, ScrollRestoration, useLocation, useNavigate, useNavigation } from "react-router";
import { useCommands, useOfferedCommands } from "../components/commands.tsx";
import { NOTICES_ID } from "../components/notices.ts";
import { useTitleCount } from "../components/page-title.ts";
import { PageSkeleton } from "../components/skeleton.tsx";
import { setTheme } from "../components/theme.ts";
import { type Approval, useApprovals } from "../data/approvals.ts";
import { getConfig } from "../data/client.ts";
import { useHeldCopy } from "../data/held-copy.ts";
import { useInvitations } from "../data/invitations.ts";
import { notify } from "../data/notifications.ts";
import { useOperator } from "../data/operator.ts";
import { usePasskeyOffer } from "../data/passkey-offer.ts";
import { signOut, useUser } from "../data/session.ts";
import { AskedProof } from "./asked-proof.tsx";
import { ConnectionBanner } from "./connection-banner.tsx";
import { NAV_ITEMS, OPERATOR_ITEM } from "./nav-items.tsx";
import { BottomBar, SideNav } from "./navigation.tsx";
import type { Overlay } from "./overlay.ts";
import type { Waiting } from "./side-links.tsx";

/** The maximum time between the two keys of a shortcut. */
const SECOND_KEY_MS = 1_200;

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

/** Tells a user who looks elsewhere about each new tool call that waits for their decision. Those of the first load are not new. */
function useApprovalNotices(approvals: readonly Approval[] | undefined): void {
  const navigate = useNavigate();
  const known = useRef<ReadonlySet<string> | null>(null);
  useEffect(() => {
    if (approvals === undefined) return;
    const before = known.current;
    known.current = new Set([...(before ?? []), ...approvals.map(keyOf)]);
    if (before === null) return;
    for (const approval of approvals) {
      if (before.has(keyOf(approval))) continue;
      const { agentName, toolName, swarmName, question } = approval;
      void notify({
        id: keyOf(approval),
        title: question === null ? `${agentName} needs your approval` : `${agentName} has a question`,
        text: `${toolName}, in ${swarmName ?? "a private conversation"}`,
        onOpen: () => void navigate("/approvals"),
      });
    }
  }, [approvals, navigate]);
}

/** A call can ask again. */
function keyOf({ id, question }: Approval): string {
  return `${id} ${question?.id ?? ""}`;
}

/** Ctrl-K or Cmd-K opens the palette, "?" the list of shortcuts; other keys run the registered commands. */
function useHotkeys(isOn: boolean, open: (overlay: Overlay) => void): void {
  const commands = useOfferedCommands();
  const first = useRef<{ readonly key: string; readonly at: number } | null>(null);
  useLayoutEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      if ((event.metaKey || event.ctrlKey) && event.key.toLowerCase() === "k") {
        event.preventDefault();
        open("palette");
        return;
      }
      if (!isOn || event.metaKey || event.ctrlKey || event.altKey || isTyping(event.target)) return;
      if (event.key === "?") {
        event.preventDefault();
        open("shortcuts");
        return;
      }
      const before =
        first.current !== null && event.timeStamp - first.current.at < SECOND_KEY_MS ? first.current.key : null;
      const pair = commands.find(({ keys }) => before !== null && keys === `${before} ${event.key}`);
      const found = pair ?? commands.find(({ keys }) => keys === event.key);
      first.current = pair === undefined ? { key: event.key, at: event.timeStamp } : null;
      if (found === undefined) return;
      event.preventDefault();
      found.run();
    };
    addEventListener("keydown", onKey);
    return () => removeEventListener("keydown", onKey);
  }, [commands, isOn, open]);
}

/** Fields, menus and dialogs handle keys themselves. */
function isTyping(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false;
  return target.isContentEditable || target.closest("input, textarea, select, [role=dialog], [role=menu]") !== null;
}

/** Moves the focus to a newly opened page, so that screen readers announce it. Not on the first load. */
function usePageFocus(): void {
  const { pathname } = useLocation();
  const page = pathname.split("/")[1] ?? "";
  const last = useRef(page);
  useEffect(() => {
    if (last.current === page) return;
    last.current = page;
    // The user may have opened a dialog since, and be typing in it.
    const dialog = document.activeElement?.closest("[role=dialog]") ?? null;
    if (dialog !== null) return;
    document.getElementById("page")?.focus({ preventScroll: true });
  }, [page]);
}

/** Registers the commands that are available on every page. */
function useShellCommands(open: (overlay: Overlay) => void): void {
  const navigate = useNavigate();
  const items = useOperator().rows?.isOperator === true ? [...NAV_ITEMS, OPERATOR_ITEM] : NAV_ITEMS;
  const { docsPath } = getConfig();
  useCommands([
    ...items.map(({ to, label, Icon, key }) => ({
      id: `go.${label}`,
      label,
      group: "Go to",
      icon: <Icon />,
      keys: `g ${key}`,
      run: () => void navigate(to),
    })),
    { id: "theme.light", label: "Light theme", group: "Appearance", icon: <Sun />, run: () => setTheme("light") },
    { id: "theme.dark", label: "Dark theme", group: "Appearance", icon: <Moon />, run: () => setTheme("dark") },
    {
      id: "theme.system",
      label: "System theme",
      group: "Appearance",
      icon: <SunMoon />,
      run: () => setTheme("system"),
    },
    ...(docsPath === null
      ? []
      : [
          {
            id: "help.docs",
            label: "Documentation",
            group: "Help",
            icon: <BookOpen />,
            run: () => openDocs(docsPath),
          },
        ]),
    { id: "help.keys", label: "Keyboard shortcuts", group: "Help", run: () => open("shortcuts") },
    { id: "session.end", label: "Sign out", group: "Account", icon: <LogOut />, run: () => void signOut() },
  ]);
}

function openDocs(path: string): void {
  window.open(path, "_blank", "noopener,noreferrer");
}
