import { useMemo } from "react";
import { useAddress } from "./use-address.ts";
import { useAddressText } from "./use-address-text.ts";

const SEARCH = "q";
const SORT = "sort";
/** Parameters that are part of the address of a list and do not filter it. */
const NO_FILTERS: ReadonlySet<string> = new Set([SORT, "tab", "result"]);
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const DAY = /^\d{4}-\d{2}-\d{2}$/u;

/** Ranges of time that end now. */
const SPANS_MS: Readonly<Record<string, number>> = {
  hour: HOUR_MS,
  day: DAY_MS,
  week: 7 * DAY_MS,
  month: 30 * DAY_MS,
};
export const TIME = "time";
export const TIME_CHOICES = [
  { value: "hour", label: "Last hour" },
  { value: "day", label: "Last 24 hours" },
  { value: "yesterday", label: "Yesterday" },
  { value: "week", label: "Last 7 days" },
  { value: "month", label: "Last 30 days" },
  { value: "custom", label: "Custom range" },
] as const;

/** ISO 8601; null means no bound. */
export interface TimeRange {
  readonly since: string | null;
  readonly until: string | null;
}

export interface Filters {
  /** The text in the search field. */
  readonly search: string;
  /** The text to search for: `search`, once the user pauses. */
  readonly debouncedSearch: string;
  /** Whether any filter of the list is set. */
  readonly isFiltered: boolean;
  /** What the list shows of time; stays the same until the user chooses another. */
  readonly range: TimeRange;
  /** The value of a filter; empty: none. */
  get(name: string): string;
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
  const get = (name: string) => address.get(name) ?? "";
  const [from, to] = [get("from"), get("to")];
  const time = get(TIME) === "" && from + to !== "" ? "custom" : get(TIME);
  const range = useMemo<TimeRange>(() => {
    const span = SPANS_MS[time];
    if (span !== undefined) return { since: new Date(Date.now() - span).toISOString(), until: null };
    return time === "yesterday" ? findYesterday() : { since: toInstant(from, 0), until: toInstant(to, DAY_MS) };
  }, [time, from, to]);
  return {
    search,
    debouncedSearch,
    isFiltered: search !== "" || [...address.keys()].some((name) => !NO_FILTERS.has(name)),
    range,
    get: (name) => (name === TIME ? time : get(name)),
    choice: (name, known) => known.find((value) => value === address.get(name)) ?? null,
    set: (name, value) => change({ [name]: value, ...(name === TIME && value !== "custom" && { from: "", to: "" }) }),
    setSearch,
    clear: () => {
      setSearch("");
      clear(SORT);
    },
    sort: (known) => known.find((order) => order === address.get(SORT)) ?? known[0],
    setSort: (order) => change({ [SORT]: order }),
  };
}

/** In local time. A day before a change of the clock has not 24 hours. */
function findYesterday(): TimeRange {
  const now = new Date();
  const midnight = (day: number) => new Date(now.getFullYear(), now.getMonth(), day).toISOString();
  return { since: midnight(now.getDate() - 1), until: midnight(now.getDate()) };
}

/** The instant of a local time; of a day without a time its begin, or its end. Null means that there is none, or that it is no time. */
export function toInstant(text: string, dayMs = 0): string | null {
  const isDay = DAY.test(text);
  const at = Date.parse(isDay ? `${text}T00:00` : text);
  return Number.isNaN(at) ? null : new Date(at + (isDay ? dayMs : 0)).toISOString();
}
