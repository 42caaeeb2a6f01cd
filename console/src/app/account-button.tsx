import { type ComponentProps, type ComponentType, useRef, useState } from "react";
import { useUser } from "../data/session.ts";
import { Avatar } from "../components/avatar.tsx";
import type { AccountMenuProps } from "./account-menu.tsx";

interface LoadedMenu {
  readonly Menu: ComponentType<AccountMenuProps>;
  /** The button was pressed before its menu was loaded. */
  readonly wasPressed: boolean;
  readonly hadFocus: boolean;
}

/** The files of the menu are loaded when the pointer or the focus reaches the button: most visits never open it. */
export function AccountButton() {
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
