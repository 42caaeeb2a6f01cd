import { type RefObject, useMemo } from "react";
import { useCommands } from "./commands.tsx";

/** Keys of a list: j and k move the focus from row to row, Enter opens the row as the link that it is, x selects it. */
export function useListKeys(list: RefObject<HTMLElement | null>, isOn: boolean): void {
  useCommands(
    useMemo(() => {
      const move = (by: number) => () => {
        const rows = [...(list.current?.querySelectorAll<HTMLElement>("[data-row]") ?? [])];
        const at = rows.findIndex((row) => row.contains(document.activeElement));
        const next = rows[at === -1 ? 0 : at + by];
        next?.querySelector<HTMLElement>("a, button")?.focus();
        next?.scrollIntoView({ block: "nearest" });
      };
      const select = () =>
        document.activeElement?.closest("[data-row]")?.querySelector<HTMLElement>("input[type=checkbox]")?.click();
      const command = (id: string, label: string, keys: string, run: () => void) => {
        return { id: `list.${id}`, label, group: "List", isKeyOnly: true, keys, run };
      };
      if (!isOn) return [];
      return [
        command("next", "Next row", "j", move(1)),
        command("previous", "Previous row", "k", move(-1)),
        command("select", "Select the row", "x", select),
      ];
    }, [list, isOn]),
  );
}
