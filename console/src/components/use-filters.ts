import { useAddress } from "./use-address.ts";
import { useAddressText } from "./use-address-text.ts";

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

/** Filters of a list, kept in the address for links and the back button. */
export function useFilters(): Filters {
  const { address, change, clear } = useAddress();
  const { text: search, debounced: debouncedSearch, setText: setSearch } = useAddressText({ address, change }, SEARCH);
  return {
    search,
    debouncedSearch,
    isFiltered: search !== "" || [...address.keys()].some((name) => name !== SORT),
    choice: (name, known) => known.find((value) => value === address.get(name)) ?? null,
    set: (name, value) => change({ [name]: value }),
    setSearch,
    clear: () => {
      setSearch("");
      clear(SORT);
    },
    sort: (known) => known.find((order) => order === address.get(SORT)) ?? known[0],
    setSort: (order) => change({ [SORT]: order }),
  };
}
