import { BookOpen, LogOut, Moon, Sun, SunMoon } from "lucide-react";
import { useNavigate } from "react-router";
import { getConfig } from "../data/client.ts";
import { useOperator } from "../data/operator.ts";
import { signOut } from "../data/session.ts";
import { useCommands } from "../components/commands.tsx";
import { setTheme } from "../components/theme.ts";
import { NAV_ITEMS, OPERATOR_ITEM } from "./nav-items.tsx";
import type { Overlay } from "./overlay.ts";

/** Registers the commands that are available on every page. */
export function useShellCommands(open: (overlay: Overlay) => void): void {
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
