import { useLayoutEffect, useRef } from "react";
import { useOfferedCommands } from "../components/commands.tsx";
import type { Overlay } from "./overlay.ts";

/** The maximum time between the two keys of a shortcut. */
const SECOND_KEY_MS = 1_200;

/** Ctrl-K or Cmd-K opens the palette, "?" the list of shortcuts; other keys run the registered commands. */
export function useHotkeys(isOn: boolean, open: (overlay: Overlay) => void): void {
  const commands = useOfferedCommands();
  const first = useRef<{ readonly key: string; readonly at: number } | null>(null);
  useLayoutEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      if ((event.metaKey || event.ctrlKey) && event.key.toLowerCase() === "k") {
        event.preventDefault();
        open("palette");
        return;
      }
      if (!isOn || event.metaKey || event.ctrlKey || event.altKey || isTyping(event.target)) return;
      if (event.key === "?") {
        event.preventDefault();
        open("shortcuts");
        return;
      }
      const before =
        first.current !== null && event.timeStamp - first.current.at < SECOND_KEY_MS ? first.current.key : null;
      const pair = commands.find(({ keys }) => before !== null && keys === `${before} ${event.key}`);
      const found = pair ?? commands.find(({ keys }) => keys === event.key);
      first.current = pair === undefined ? { key: event.key, at: event.timeStamp } : null;
      if (found === undefined) return;
      event.preventDefault();
      found.run();
    };
    addEventListener("keydown", onKey);
    return () => removeEventListener("keydown", onKey);
  }, [commands, isOn, open]);
}

/** Fields, menus and dialogs handle keys themselves. */
function isTyping(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false;
  return target.isContentEditable || target.closest("input, textarea, select, [role=dialog], [role=menu]") !== null;
}
