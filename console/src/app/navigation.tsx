import { clsx } from "clsx";
import { Menu, Search } from "lucide-react";
import { type ComponentProps, type ComponentType, lazy, Suspense, useRef, useState } from "react";
import { NavLink } from "react-router";
import { Avatar } from "../components/avatar.tsx";
import { Kbd } from "../components/kbd.tsx";
import { Logo } from "../components/logo.tsx";
import { useUser } from "../data/session.ts";
import type { AccountMenuProps } from "./account-menu.tsx";
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

interface LoadedMenu {
  readonly Menu: ComponentType<AccountMenuProps>;
  /** The button was pressed before its menu was loaded. */
  readonly wasPressed: boolean;
  readonly hadFocus: boolean;
}

/** The files of the menu are loaded when the pointer or the focus reaches the button: most visits never open it. */
function AccountButton() {
  const [loaded, setLoaded] = useState<LoadedMenu | null>(null);
  const button = useRef<HTMLButtonElement>(null);
  const wasPressed = useRef(false);
  const load = async (): Promise<void> => {
    const { AccountMenu } = await import("./account-menu.tsx");
    const hadFocus = document.activeElement === button.current;
    setLoaded((before) => before ?? { Menu: AccountMenu, wasPressed: wasPressed.current, hadFocus });
  };
  // A file that could not be loaded is requested again with the next press.
  const prepare = (): void => void load().catch(() => {});
  const press = (): void => {
    wasPressed.current = true;
    prepare();
  };
  if (loaded === null)
    return (
      <NameButton
        ref={button}
        aria-haspopup="menu"
        onPointerEnter={prepare}
        onFocus={prepare}
        onPointerDown={press}
        onClick={press}
      />
    );
  const { Menu, hadFocus } = loaded;
  return <Menu isOpenAtFirst={loaded.wasPressed} trigger={<NameButton autoFocus={hadFocus} />} />;
}

function NameButton(props: ComponentProps<"button">) {
  const user = useUser();
  const email = user.email ?? "";
  const fullName: unknown = user.user_metadata["full_name"];
  const name = typeof fullName === "string" && fullName !== "" ? fullName : email;
  return (
    <button type="button" {...props} className="flex items-center gap-2.5 rounded-md p-2 text-left hover:bg-hover">
      <Avatar name={name} seed={user.id} />
      <span className="grid min-w-0 flex-1">
        <span className="truncate text-base font-medium">{name}</span>
        {name !== email && <span className="truncate text-sm text-ink-faint">{email}</span>}
      </span>
    </button>
  );
}
