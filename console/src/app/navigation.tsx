import { clsx } from "clsx";
import { Menu, Search } from "lucide-react";
import { lazy, Suspense, useState } from "react";
import { NavLink } from "react-router";
import { Kbd } from "../components/kbd.tsx";
import { Logo } from "../components/logo.tsx";
import { AccountButton } from "./account-button.tsx";
import { NAV_ITEMS } from "./nav-items.tsx";
import { NavMenu, type NavMenuProps, sumWaiting } from "./nav-menu.tsx";
import { Count, DocsLink } from "./side-links.tsx";

const MoreDrawer = lazy(async () => ({ default: (await import("./more-drawer.tsx")).MoreDrawer }));
const IS_APPLE = /mac|iphone|ipad/i.test(navigator.userAgent);
export const PALETTE_KEYS = IS_APPLE ? "⌘ K" : "Ctrl K";

const UNDER_MORE = NAV_ITEMS.filter(({ isMain }) => isMain !== true);

interface NavigationProps extends Pick<NavMenuProps, "waiting"> {
  openPalette(): void;
}

export function SideNav({ openPalette, waiting }: NavigationProps) {
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
      <NavMenu waiting={waiting} />
      <DocsLink />
      <AccountButton />
    </header>
  );
}

/** The navigation of narrow screens. */
export function BottomBar({ openPalette, waiting }: NavigationProps) {
  const [isOpen, setOpen] = useState(false);
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
              <Count waiting={sumWaiting(UNDER_MORE, waiting)} />
            </span>
          </span>
          More
        </button>
      </nav>
      {isOpen && (
        <Suspense>
          <MoreDrawer waiting={waiting} openPalette={openPalette} onClose={() => setOpen(false)} />
        </Suspense>
      )}
    </>
  );
}
