import { LogOut, Moon, Sun, SunMoon, User } from "lucide-react";
import type { ReactNode } from "react";
import { useNavigate } from "react-router";
import { signOut } from "../data/session.ts";
import { DropdownMenu } from "../components/dropdown-menu.tsx";
import { setTheme } from "../components/theme.ts";

export interface AccountMenuProps {
  readonly trigger: ReactNode;
  readonly isOpenAtFirst: boolean;
}

export function AccountMenu({ trigger, isOpenAtFirst }: AccountMenuProps) {
  const navigate = useNavigate();
  return (
    <DropdownMenu
      side="top"
      align="start"
      trigger={trigger}
      isOpenAtFirst={isOpenAtFirst}
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
