import { clsx } from "clsx";
import { BookOpen } from "lucide-react";
import { Link } from "react-router";
import { getConfig } from "../data/client.ts";
import type { NavItem } from "./nav-items.tsx";

export interface Waiting {
  readonly count: number;
  /** What the number counts, for screen readers: "invitations". */
  readonly noun: string;
}

/** Opens a new tab, because the documentation is read beside the console. */
export function DocsLink() {
  const { docsPath } = getConfig();
  if (docsPath === null) return null;
  return (
    <a
      href={docsPath}
      target="_blank"
      rel="noopener noreferrer"
      className="flex h-9 items-center gap-2.5 rounded-md px-2.5 text-base font-medium text-ink-soft hover:bg-hover hover:text-ink"
    >
      <BookOpen className="size-4.5" aria-hidden />
      Documentation
      <span className="sr-only">(opens a new tab)</span>
    </a>
  );
}

interface SideLinkProps {
  readonly item: Pick<NavItem, "to" | "label" | "Icon">;
  readonly isCurrent: boolean;
  readonly waiting?: Waiting | undefined;
  readonly onGo: (() => void) | undefined;
}

/** The menu can be longer than the screen. */
const reveal = (link: HTMLElement | null) => link?.scrollIntoView({ block: "nearest" });

export function SideLink({ item: { to, label, Icon }, isCurrent, waiting, onGo }: SideLinkProps) {
  return (
    <Link
      to={to}
      ref={isCurrent ? reveal : null}
      onClick={onGo}
      aria-current={isCurrent ? "page" : undefined}
      className={clsx(
        "flex h-9 items-center gap-2.5 rounded-md px-2.5 text-base font-medium -outline-offset-2 transition-colors lg:h-8 [&_svg]:size-4.5",
        isCurrent ? "bg-accent-soft text-accent" : "text-ink-soft hover:bg-hover hover:text-ink",
      )}
    >
      <Icon aria-hidden />
      <span className="flex-1">{label}</span>
      <Count waiting={waiting} />
    </Link>
  );
}

export function Count({ waiting }: { readonly waiting: Waiting | undefined }) {
  if (waiting === undefined) return null;
  return (
    <span className="inline-block min-w-5 rounded-full bg-accent px-1.5 text-center text-xs leading-5 font-semibold whitespace-nowrap text-on-accent tabular-nums">
      {waiting.count}
      <span className="sr-only"> {waiting.noun}</span>
    </span>
  );
}
