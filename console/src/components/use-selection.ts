import { useCallback, useMemo, useRef, useState } from "react";

interface KeyedRow {
  readonly id: string;
}

export interface Selection<Row extends KeyedRow> {
  /** The selected rows that are listed, in the order of the list. */
  readonly rows: readonly Row[];
  has(id: string): boolean;
  /** `isRange`: also everything between this row and the last one that was toggled. */
  toggle(id: string, isRange: boolean): void;
  selectAll(): void;
  clear(): void;
}

const NONE: ReadonlySet<string> = new Set();

/** The selected rows of a list. A row that leaves the list is no longer selected: nothing happens to what the user does not see. */
export function useSelection<Row extends KeyedRow>(
  listed: readonly Row[] | undefined,
  canSelect: (row: Row) => boolean = () => true,
): Selection<Row> {
  const [ids, setIds] = useState(NONE);
  const last = useRef<string | null>(null);
  const current = useRef<readonly Row[]>([]);
  current.current = useMemo(() => (listed ?? []).filter(canSelect), [listed, canSelect]);
  const shown = current.current;
  const rows = useMemo(() => shown.filter(({ id }) => ids.has(id)), [shown, ids]);
  const toggle = useCallback((id: string, isRange: boolean) => {
    const order = current.current.map((row) => row.id);
    const from = isRange && last.current !== null ? order.indexOf(last.current) : -1;
    const to = order.indexOf(id);
    last.current = id;
    setIds((before) => {
      const next = new Set(before);
      const range = from === -1 ? [id] : order.slice(Math.min(from, to), Math.max(from, to) + 1);
      const isOn = !before.has(id);
      for (const one of range)
        if (isOn) next.add(one);
        else next.delete(one);
      return next;
    });
  }, []);
  return {
    rows,
    has: (id) => ids.has(id),
    toggle,
    selectAll: () => setIds(new Set(shown.map(({ id }) => id))),
    clear: () => setIds(NONE),
  };
}
