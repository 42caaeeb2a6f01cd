import { clsx } from "clsx";
import { BookOpen } from "lucide-react";
import { NavLink } from "react-router";
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
  readonly item: NavItem;
  readonly waiting: Waiting | undefined;
  readonly onGo?: () => void;
}

export function SideLink({ item: { to, label, Icon }, waiting, onGo }: SideLinkProps) {
  return (
    <NavLink
      to={to}
      end={to === "/"}
      {...(onGo !== undefined && { onClick: onGo })}
      className={({ isActive }) =>
        clsx(
          "flex h-9 items-center gap-2.5 rounded-md px-2.5 text-base font-medium transition-colors [&_svg]:size-4.5",
          isActive ? "bg-accent-soft text-accent" : "text-ink-soft hover:bg-hover hover:text-ink",
        )
      }
    >
      <Icon aria-hidden />
      <span className="flex-1">{label}</span>
      <Count waiting={waiting} />
    </NavLink>
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
