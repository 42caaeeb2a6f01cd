import { createContext, type ReactNode, useContext, useId, useLayoutEffect, useMemo, useRef, useState } from "react";

/** An action that the palette lists and its keys run. */
export interface Command {
  /** Unique: "agents.new". */
  readonly id: string;
  readonly label: string;
  /** The heading in the palette: "Go to", "Agents". */
  readonly group: string;
  readonly icon?: ReactNode;
  /** Additional search terms. */
  readonly keywords?: readonly string[];
  /** One key, or a sequence of two: "n", "g a". */
  readonly keys?: string;
  /** Runs by its keys alone: the palette does not list it. */
  readonly isKeyOnly?: boolean;
  run(): void;
}

type Lists = ReadonlyMap<string, readonly Command[]>;

const ListsContext = createContext<Lists>(new Map());
const ChangeContext = createContext<(change: (lists: Lists) => Lists) => void>(() => {});

export function CommandsRoot({ children }: { readonly children: ReactNode }) {
  const [lists, setLists] = useState<Lists>(new Map());
  return (
    <ChangeContext value={setLists}>
      <ListsContext value={lists}>{children}</ListsContext>
    </ChangeContext>
  );
}

/** Registers commands while the component is mounted. */
export function useCommands(commands: readonly Command[]): void {
  const change = useContext(ChangeContext);
  const owner = useId();
  const latest = useRef(commands);
  // The list is new at each render, and registered again when it shows something else.
  const shown = JSON.stringify(
    commands.map(({ id, label, group, keywords, keys }) => [id, label, group, keywords, keys]),
  );
  useLayoutEffect(() => {
    latest.current = commands;
  });
  // A layout effect, so that the keys work as soon as the page is visible.
  useLayoutEffect(() => {
    const registered = latest.current.map((command, place) => ({
      ...command,
      run: () => latest.current[place]?.run(),
    }));
    change((lists) => new Map(lists).set(owner, registered));
    return () =>
      change((lists) => {
        const others = new Map(lists);
        others.delete(owner);
        return others;
      });
  }, [change, owner, shown]);
}

/** All registered commands, the most recently registered first. */
export function useOfferedCommands(): readonly Command[] {
  const lists = useContext(ListsContext);
  return useMemo(() => [...lists.values()].toReversed().flat(), [lists]);
}
