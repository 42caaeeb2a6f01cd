import { useCallback, useMemo } from "react";
import { useSearchParams } from "react-router";
import { FILTER_OPERATORS, type TableFilter, type TableQuery } from "../../../data/operator-tables.ts";
import { URL_UPDATE_OPTIONS } from "../../../components/url-update-options.ts";

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
  const [address, setAddress] = useSearchParams();
  const filters = address.get(FILTERS) ?? "";
  const order = address.get(ORDER) ?? "";
  const isDescending = address.get(DIRECTION) === "desc";
  const query = useMemo(
    () => ({ filters: parseFilters(filters), order, isDescending }),
    [filters, order, isDescending],
  );
  const setFilters = useCallback(
    (next: readonly TableFilter[]) =>
      setAddress((old) => {
        if (next.length === 0) old.delete(FILTERS);
        else old.set(FILTERS, JSON.stringify(next));
        return old;
      }, URL_UPDATE_OPTIONS),
    [setAddress],
  );
  const toggleOrder = useCallback(
    (column: string) =>
      setAddress((old) => {
        const isSame = old.get(ORDER) === column;
        const isLast = isSame && old.get(DIRECTION) === "desc";
        old.delete(DIRECTION);
        if (isLast) old.delete(ORDER);
        else old.set(ORDER, column);
        if (isSame && !isLast) old.set(DIRECTION, "desc");
        return old;
      }, URL_UPDATE_OPTIONS),
    [setAddress],
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
