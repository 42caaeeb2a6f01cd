import { LogOut, Search } from "lucide-react";
import { signOut } from "../data/session.ts";
import { Drawer } from "../components/drawer.tsx";
import { NavMenu, type NavMenuProps } from "./nav-menu.tsx";
import { DocsLink } from "./side-links.tsx";

export interface MoreDrawerProps extends Pick<NavMenuProps, "waiting"> {
  openPalette(): void;
  onClose(): void;
}

/** All pages, on a narrow screen. */
export function MoreDrawer({ waiting, openPalette, onClose }: MoreDrawerProps) {
  return (
    <Drawer isOpen onClose={onClose} title="Swarmbase">
      <div className="grid gap-1">
        <button
          type="button"
          onClick={() => {
            onClose();
            openPalette();
          }}
          className="flex h-11 items-center gap-2.5 rounded-md px-2.5 text-base font-medium text-ink-soft hover:bg-hover"
        >
          <Search className="size-4.5" aria-hidden />
          Search and commands
        </button>
        <NavMenu waiting={waiting} onGo={onClose} />
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
  );
}
