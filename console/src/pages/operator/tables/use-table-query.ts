import { useCallback, useMemo } from "react";
import { FILTER_OPERATORS, type TableFilter, type TableQuery } from "../../../data/operator-tables.ts";
import { useAddress } from "../../../components/use-address.ts";

const FILTERS = "filters";
const ORDER = "order";
const DIRECTION = "direction";

export interface TableQueryState {
  readonly query: TableQuery;
  setFilters(filters: readonly TableFilter[]): void;
  /** Ascending first, then descending, then by the key again. */
  toggleOrder(column: string): void;
}

/** Filters and order of a table, kept in the address. Anybody can write an address, so its parts are checked. */
export function useTableQuery(): TableQueryState {
  const { address, change } = useAddress();
  const filters = address.get(FILTERS) ?? "";
  const order = address.get(ORDER) ?? "";
  const isDescending = address.get(DIRECTION) === "desc";
  const query = useMemo(
    () => ({ filters: parseFilters(filters), order, isDescending }),
    [filters, order, isDescending],
  );
  const setFilters = useCallback(
    (next: readonly TableFilter[]) => change({ [FILTERS]: next.length === 0 ? "" : JSON.stringify(next) }),
    [change],
  );
  const toggleOrder = useCallback(
    (column: string) => {
      const isSame = order === column;
      const isLast = isSame && isDescending;
      change({ [ORDER]: isLast ? "" : column, [DIRECTION]: isSame && !isLast ? "desc" : "" });
    },
    [change, order, isDescending],
  );
  return { query, setFilters, toggleOrder };
}

function parseFilters(text: string): readonly TableFilter[] {
  if (text === "") return [];
  try {
    const parsed: unknown = JSON.parse(text);
    return Array.isArray(parsed) ? parsed.filter(isFilter) : [];
  } catch {
    return [];
  }
}

function isFilter(value: unknown): value is TableFilter {
  if (!Array.isArray(value) || value.length !== 3) return false;
  const [column, operator, operand] = value as unknown[];
  return (
    typeof column === "string" && FILTER_OPERATORS.some((known) => known === operator) && typeof operand === "string"
  );
}
