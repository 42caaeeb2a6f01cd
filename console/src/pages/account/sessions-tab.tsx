import { Laptop, LogOut, Smartphone, SquareTerminal } from "lucide-react";
import { useState } from "react";
import {
  type DeviceSession,
  useDeviceSessions,
  useEndOtherSessions,
  useEndSession,
} from "../../data/device-sessions.ts";
import { signOut } from "../../data/session.ts";
import { ActionDialog } from "../../components/action-dialog.tsx";
import { Badge } from "../../components/badge.tsx";
import { Button } from "../../components/button.tsx";
import { CardSection } from "../../components/card.tsx";
import { NotLoaded } from "../../components/not-loaded.tsx";
import { RelativeTime } from "../../components/relative-time.tsx";
import { ListSkeleton } from "../../components/skeleton.tsx";
import { useToast } from "../../components/toast.tsx";

const BROWSERS: readonly (readonly [RegExp, string])[] = [
  [/\bEdgA?\//, "Edge"],
  [/\bOPR\//, "Opera"],
  [/\bFirefox\//, "Firefox"],
  [/\bChrome\/|\bHeadlessChrome\/|\bCriOS\//, "Chrome"],
  [/\bSafari\//, "Safari"],
  [/^curl\//, "curl"],
  [/^node\b|undici/i, "A Node.js program"],
  [/^python/i, "A Python program"],
  [/^deno/i, "A Deno program"],
];
const SYSTEMS: readonly (readonly [RegExp, string])[] = [
  [/iPhone/, "iPhone"],
  [/iPad/, "iPad"],
  [/Android/, "Android"],
  [/Windows/, "Windows"],
  [/Mac OS X|Macintosh/, "macOS"],
  [/CrOS/, "ChromeOS"],
  [/Linux/, "Linux"],
];
const ICONS: Readonly<Record<DeviceDescription["kind"], typeof Laptop>> = {
  phone: Smartphone,
  computer: Laptop,
  program: SquareTerminal,
};

export function SessionsTab() {
  const { rows: sessions, ...read } = useDeviceSessions();
  if (sessions === undefined)
    return <NotLoaded title="Your sessions could not be loaded" read={read} skeleton={<ListSkeleton rows={3} />} />;
  const current = sessions.filter(({ is_current: isCurrent }) => isCurrent);
  const others = sessions.filter(({ is_current: isCurrent }) => !isCurrent);
  return (
    <div className="grid gap-5">
      <CardSection
        title="Where you are signed in"
        description="Signing out a device takes effect at once. If you do not recognise a device, sign it out and change your password."
      >
        <ul className="divide-y divide-line rounded-md border border-line">
          {[...current, ...others].map((session) => (
            <SessionRow key={session.id} session={session} />
          ))}
        </ul>
      </CardSection>
      <SignOutEverywhere others={others.length} />
    </div>
  );
}

function SessionRow({ session }: { readonly session: DeviceSession }) {
  const { id, user_agent: userAgent, ip, created_at: createdAt, last_seen_at: seenAt, is_current: isCurrent } = session;
  const { name, kind } = describeDevice(userAgent);
  const Icon = ICONS[kind];
  const end = useEndSession();
  const toast = useToast();
  const run = async () => {
    const isDone = await end.run(id);
    toast(
      isDone === null ? { text: "The session could not be ended.", tone: "bad" } : { text: `${name} is signed out.` },
    );
  };
  return (
    <li className="flex flex-wrap items-center gap-x-3 gap-y-2 px-3 py-3 sm:flex-nowrap">
      <Icon className="size-5 shrink-0 text-ink-faint" aria-hidden />
      <div className="grid min-w-0 flex-1 gap-0.5">
        <div className="flex flex-wrap items-center gap-2">
          <span className="truncate font-medium" title={userAgent ?? undefined}>
            {name}
          </span>
          {isCurrent && <Badge tone="good">This device</Badge>}
          {session.aal === "aal2" && <Badge>Second factor</Badge>}
        </div>
        <div className="flex flex-wrap gap-x-3 text-sm text-ink-faint">
          <span className="tabular-nums">{ip ?? "unknown address"}</span>
          <span className="whitespace-nowrap">
            seen <RelativeTime at={seenAt} />
          </span>
          <span className="whitespace-nowrap">
            signed in <RelativeTime at={createdAt} />
          </span>
        </div>
      </div>
      {!isCurrent && (
        <Button size="small" isBusy={end.isBusy} aria-label={`Sign out ${name}`} onClick={() => void run()}>
          Sign out
        </Button>
      )}
    </li>
  );
}

function SignOutEverywhere({ others }: { readonly others: number }) {
  const endOthers = useEndOtherSessions();
  const toast = useToast();
  const [isAsking, setAsking] = useState(false);
  const run = async () => {
    if ((await endOthers.run()) !== null) toast({ text: "All other sessions have ended." });
    else toast({ text: "The other sessions could not be ended.", tone: "bad" });
  };
  return (
    <div className="flex flex-wrap gap-2">
      <Button disabled={others === 0} isBusy={endOthers.isBusy} onClick={() => void run()}>
        Sign out all others
      </Button>
      <Button icon={<LogOut />} onClick={() => setAsking(true)}>
        Sign out everywhere
      </Button>
      <ActionDialog
        isOpen={isAsking}
        onClose={() => setAsking(false)}
        title="Sign out everywhere?"
        action="Sign out everywhere"
        isDangerous
        onAction={() => void signOut("global")}
      >
        <p className="text-ink-soft">All sessions end, including this one.</p>
      </ActionDialog>
    </div>
  );
}

interface DeviceDescription {
  readonly name: string;
  readonly kind: "phone" | "computer" | "program";
}

/** Describes a device by its User-Agent header. Only a hint, because clients can send any value. */
function describeDevice(userAgent: string | null): DeviceDescription {
  const text = userAgent ?? "";
  const browser = BROWSERS.find(([pattern]) => pattern.test(text))?.[1];
  const system = SYSTEMS.find(([pattern]) => pattern.test(text))?.[1];
  if (browser === undefined && system === undefined) {
    const first = /^[\w .-]{1,40}/.exec(text)?.[0].trim() ?? "";
    return { name: first === "" ? "An unknown program" : first, kind: "program" };
  }
  if (system === undefined) return { name: browser ?? "", kind: "program" };
  const kind = /iPhone|Android/.test(system) ? "phone" : "computer";
  return { name: browser === undefined ? system : `${browser} on ${system}`, kind };
}
