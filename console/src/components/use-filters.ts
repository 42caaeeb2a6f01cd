import { useEffect, useRef, useState } from "react";
import { useSearchParams } from "react-router";
import { AT_ONCE } from "./at-once.ts";
import { useSettled } from "./use-settled.ts";

const SEARCH = "q";

export interface Filters {
  /** The text in the search field. */
  readonly search: string;
  /** The text to search for: `search`, once the user pauses. */
  readonly settledSearch: string;
  /** Whether any filter of the list is set. */
  readonly isFiltered: boolean;
  /** The value of a filter, when it is one of those the list knows. */
  choice<Value extends string>(name: string, known: readonly Value[]): Value | null;
  /** An empty value removes the filter. */
  set(name: string, value: string): void;
  setSearch(text: string): void;
  clear(): void;
}

/**
 * Filters of a list, kept in the address, so that links and the back button keep them. The search field has a state of its own, which
 * follows the address: the router changes the address later than the next key press.
 */
export function useFilters(): Filters {
  const [address, setAddress] = useSearchParams();
  const inAddress = address.get(SEARCH) ?? "";
  const [search, setSearch] = useState(inAddress);
  const settledSearch = useSettled(search);
  const written = useRef(inAddress);
  const set = (name: string, value: string) =>
    setAddress((old) => {
      if (value === "") old.delete(name);
      else old.set(name, value);
      return old;
    }, AT_ONCE);
  useEffect(() => {
    if (inAddress === written.current) return;
    written.current = inAddress;
    setSearch(inAddress);
  }, [inAddress]);
  useEffect(() => {
    if (settledSearch === written.current) return;
    written.current = settledSearch;
    set(SEARCH, settledSearch);
    // Only a pause in typing writes the address, not a new address.
  }, [settledSearch]);
  return {
    search,
    settledSearch,
    isFiltered: address.size > 0 || search !== "",
    choice: (name, known) => known.find((value) => value === address.get(name)) ?? null,
    set,
    setSearch,
    clear: () => {
      written.current = "";
      setSearch("");
      setAddress({}, AT_ONCE);
    },
  };
}
