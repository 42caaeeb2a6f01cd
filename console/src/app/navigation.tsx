import { clsx } from "clsx";
import { BookOpen, LogOut, Menu, Moon, Search, Sun, SunMoon, User } from "lucide-react";
import { useState } from "react";
import { NavLink, useNavigate } from "react-router";
import { getConfig } from "../data/client.ts";
import { signOut, useUser } from "../data/session.ts";
import { Avatar } from "../components/avatar.tsx";
import { Drawer } from "../components/drawer.tsx";
import { DropdownMenu } from "../components/dropdown-menu.tsx";
import { Kbd } from "../components/kbd.tsx";
import { Logo } from "../components/logo.tsx";
import { setTheme } from "../components/theme.ts";
import { NAV_ITEMS, type NavItem } from "./nav-items.tsx";
import { useNavItems } from "./use-nav-items.ts";

const IS_APPLE = /mac|iphone|ipad/i.test(navigator.userAgent);
export const PALETTE_KEYS = IS_APPLE ? "⌘ K" : "Ctrl K";

export interface NavigationProps {
  openPalette(): void;
  /** Counters of the navigation items, by path. */
  readonly waiting: ReadonlyMap<string, Waiting>;
}

export interface Waiting {
  readonly count: number;
  /** What the number counts, for screen readers: "invitations". */
  readonly noun: string;
}

export function SideNav({ openPalette, waiting }: NavigationProps) {
  const items = useNavItems();
  return (
    <header className="sticky top-0 hidden h-dvh flex-col gap-1 border-r border-line bg-sunken px-3 py-4 lg:flex">
      <NavLink to="/" className="mb-3 flex items-center gap-2.5 rounded-md px-2 py-1 text-lg font-semibold">
        <Logo />
        Swarmbase
      </NavLink>
      <button
        type="button"
        onClick={openPalette}
        className="mb-3 flex h-9 items-center gap-2.5 rounded-md border border-line-strong bg-surface px-2.5 text-base text-ink-faint shadow-1 hover:bg-hover"
      >
        <Search className="size-4" aria-hidden />
        <span className="flex-1 text-left">Search</span>
        <Kbd keys={PALETTE_KEYS} />
      </button>
      <nav aria-label="Main" className="grid gap-0.5">
        {items
          .filter(({ to }) => to !== "/account")
          .map((item) => (
            <SideLink key={item.to} item={item} waiting={waiting.get(item.to)} />
          ))}
      </nav>
      <div className="flex-1" />
      <DocsLink />
      <AccountMenu />
    </header>
  );
}

/** Opens a new tab, because the documentation is read beside the console. */
function DocsLink() {
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

function SideLink({ item: { to, label, Icon }, waiting, onGo }: SideLinkProps) {
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

function Count({ waiting }: { readonly waiting: Waiting | undefined }) {
  if (waiting === undefined) return null;
  return (
    <span className="inline-block min-w-5 rounded-full bg-accent px-1.5 text-center text-xs leading-5 font-semibold whitespace-nowrap text-on-accent tabular-nums">
      {waiting.count}
      <span className="sr-only"> {waiting.noun}</span>
    </span>
  );
}

function AccountMenu() {
  const user = useUser();
  const navigate = useNavigate();
  const email = user.email ?? "";
  const fullName: unknown = user.user_metadata["full_name"];
  const name = typeof fullName === "string" && fullName !== "" ? fullName : email;
  return (
    <DropdownMenu
      side="top"
      align="start"
      trigger={
        <button type="button" className="flex items-center gap-2.5 rounded-md p-2 text-left hover:bg-hover">
          <Avatar name={name} seed={user.id} />
          <span className="grid min-w-0 flex-1">
            <span className="truncate text-base font-medium">{name}</span>
            {name !== email && <span className="truncate text-sm text-ink-faint">{email}</span>}
          </span>
        </button>
      }
      groups={[
        [{ label: "Account", icon: <User />, onSelect: () => void navigate("/account") }],
        [
          { label: "Light theme", icon: <Sun />, onSelect: () => setTheme("light") },
          { label: "Dark theme", icon: <Moon />, onSelect: () => setTheme("dark") },
          { label: "System theme", icon: <SunMoon />, onSelect: () => setTheme("system") },
        ],
        [{ label: "Sign out", icon: <LogOut />, onSelect: () => void signOut() }],
      ]}
    />
  );
}

/** What waits on pages that a narrow screen shows only under "More". */
function waitingUnderMore(waiting: NavigationProps["waiting"]): Waiting | undefined {
  const hidden = NAV_ITEMS.flatMap(({ to, isMain }) => (isMain ? [] : (waiting.get(to) ?? [])));
  const count = hidden.reduce((sum, one) => sum + one.count, 0);
  return count === 0 ? undefined : { count, noun: "waiting" };
}

/** The navigation of narrow screens. */
export function BottomBar({ openPalette, waiting }: NavigationProps) {
  const items = useNavItems();
  const [isOpen, setOpen] = useState(false);
  const close = () => setOpen(false);
  return (
    <>
      <nav
        aria-label="Main"
        className="fixed inset-x-0 bottom-0 z-30 grid grid-cols-5 border-t border-line bg-surface pb-[env(safe-area-inset-bottom)] lg:hidden"
      >
        {NAV_ITEMS.filter(({ isMain }) => isMain).map(({ to, label, Icon }) => (
          <NavLink
            key={to}
            to={to}
            end={to === "/"}
            className={({ isActive }) =>
              clsx(
                "flex h-14 flex-col items-center justify-center gap-1 text-2xs font-medium -outline-offset-2",
                isActive ? "text-accent" : "text-ink-soft",
              )
            }
          >
            <span className="relative">
              <Icon className="size-5" aria-hidden />
              <span className="absolute -top-1.5 left-3.5">
                <Count waiting={waiting.get(to)} />
              </span>
            </span>
            {label}
          </NavLink>
        ))}
        <button
          type="button"
          onClick={() => setOpen(true)}
          className="flex h-14 flex-col items-center justify-center gap-1 text-2xs font-medium text-ink-soft -outline-offset-2"
        >
          <span className="relative">
            <Menu className="size-5" aria-hidden />
            <span className="absolute -top-1.5 left-3.5">
              <Count waiting={waitingUnderMore(waiting)} />
            </span>
          </span>
          More
        </button>
      </nav>
      <Drawer isOpen={isOpen} onClose={close} title="Swarmbase">
        <div className="grid gap-1">
          <button
            type="button"
            onClick={() => {
              close();
              openPalette();
            }}
            className="flex h-11 items-center gap-2.5 rounded-md px-2.5 text-base font-medium text-ink-soft hover:bg-hover"
          >
            <Search className="size-4.5" aria-hidden />
            Search and commands
          </button>
          {items.map((item) => (
            <SideLink key={item.to} item={item} waiting={waiting.get(item.to)} onGo={close} />
          ))}
          <DocsLink />
          <button
            type="button"
            onClick={() => void signOut()}
            className="mt-4 flex h-11 items-center gap-2.5 rounded-md px-2.5 text-base font-medium text-ink-soft hover:bg-hover"
          >
            <LogOut className="size-4.5" aria-hidden />
            Sign out
          </button>
        </div>
      </Drawer>
    </>
  );
}
