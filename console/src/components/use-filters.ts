import { useSearchParams } from "react-router";
import { AT_ONCE } from "./at-once.ts";

export interface Filters {
  /** The text of a search; empty when there is none. */
  readonly search: string;
  /** Whether any filter of the list is set. */
  readonly isFiltered: boolean;
  /** The value of a filter, when it is one of those the list knows. */
  choice<Value extends string>(name: string, known: readonly Value[]): Value | null;
  /** An empty value removes the filter. */
  set(name: string, value: string): void;
  setSearch(text: string): void;
  clear(): void;
}

/** Filters of a list, kept in the address, so that links and the back button keep them. */
export function useFilters(): Filters {
  const [address, setAddress] = useSearchParams();
  const set = (name: string, value: string) =>
    setAddress((old) => {
      if (value === "") old.delete(name);
      else old.set(name, value);
      return old;
    }, AT_ONCE);
  return {
    search: address.get("q") ?? "",
    isFiltered: address.size > 0,
    choice: (name, known) => known.find((value) => value === address.get(name)) ?? null,
    set,
    setSearch: (text) => set("q", text),
    clear: () => setAddress({}, AT_ONCE),
  };
}
