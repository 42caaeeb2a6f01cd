import { useEffect, useRef, useState } from "react";
import { useSearchParams } from "react-router";
import { URL_UPDATE_OPTIONS } from "./url-update-options.ts";
import { useDebounced } from "./use-debounced.ts";

const SEARCH = "q";
const SORT = "sort";

export interface Filters {
  /** The text in the search field. */
  readonly search: string;
  /** The text to search for: `search`, once the user pauses. */
  readonly debouncedSearch: string;
  /** Whether any filter of the list is set. */
  readonly isFiltered: boolean;
  /** The value of a filter, when it is one of those the list knows. */
  choice<Value extends string>(name: string, known: readonly Value[]): Value | null;
  /** An empty value removes the filter. */
  set(name: string, value: string): void;
  setSearch(text: string): void;
  clear(): void;
  /** The order of the list; the first of those it knows by default. */
  sort<Order extends string>(known: readonly [Order, ...Order[]]): Order;
  setSort(order: string): void;
}

/**
 * Filters of a list, kept in the URL for links and the back button. The search field has its own state, which
 * follows the URL, because the router updates the URL later than the next key press.
 */
export function useFilters(): Filters {
  const [address, setAddress] = useSearchParams();
  const inAddress = address.get(SEARCH) ?? "";
  const [search, setSearch] = useState(inAddress);
  const debouncedSearch = useDebounced(search);
  const written = useRef(inAddress);
  const set = (name: string, value: string) =>
    setAddress((old) => {
      if (value === "") old.delete(name);
      else old.set(name, value);
      return old;
    }, URL_UPDATE_OPTIONS);
  useEffect(() => {
    if (inAddress === written.current) return;
    written.current = inAddress;
    setSearch(inAddress);
  }, [inAddress]);
  useEffect(() => {
    if (debouncedSearch === written.current) return;
    written.current = debouncedSearch;
    set(SEARCH, debouncedSearch);
    // Runs when the debounced text changes, not when the URL does.
  }, [debouncedSearch]);
  return {
    search,
    debouncedSearch,
    isFiltered: search !== "" || [...address.keys()].some((name) => name !== SORT),
    choice: (name, known) => known.find((value) => value === address.get(name)) ?? null,
    set,
    setSearch,
    clear: () => {
      written.current = "";
      setSearch("");
      setAddress((old) => {
        const order = old.get(SORT);
        return order === null ? {} : { [SORT]: order };
      }, URL_UPDATE_OPTIONS);
    },
    sort: (known) => known.find((order) => order === address.get(SORT)) ?? known[0],
    setSort: (order) => set(SORT, order),
  };
}
