import { createContext, type ReactNode, useContext, useId, useLayoutEffect, useMemo, useState } from "react";

/** Something that can be done now: listed in the palette, and done by its keys. */
export interface Command {
  /** Unique among all: "agents.new". */
  readonly id: string;
  readonly label: string;
  /** Commands of one group stand together: "Go to", "Agents". */
  readonly group: string;
  readonly icon?: ReactNode;
  /** Other words that somebody may type. */
  readonly keywords?: readonly string[];
  /** One key, or two after each other: "n", "g a". */
  readonly keys?: string;
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

/** Offers commands for as long as the page is shown. Pass a list that is the same between renders (`useMemo`). */
export function useCommands(commands: readonly Command[]): void {
  const change = useContext(ChangeContext);
  const owner = useId();
  // Before it is drawn: keys work from the moment in which the page is there to be seen.
  useLayoutEffect(() => {
    change((lists) => new Map(lists).set(owner, commands));
    return () =>
      change((lists) => {
        const others = new Map(lists);
        others.delete(owner);
        return others;
      });
  }, [change, owner, commands]);
}

/** All that is offered at the moment, the newest page first. */
export function useOfferedCommands(): readonly Command[] {
  const lists = useContext(ListsContext);
  return useMemo(() => [...lists.values()].toReversed().flat(), [lists]);
}
