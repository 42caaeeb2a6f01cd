import type { QueryClient, QueryKey } from "@tanstack/react-query";
import type { TableName } from "./client.ts";

/** A cached row: any row with an id. */
export interface KeyedRow {
  readonly id: string;
}

export type RowChange = (rows: readonly KeyedRow[]) => readonly KeyedRow[];

interface CachedPages {
  readonly pages: readonly (readonly KeyedRow[])[];
}

/** Applies a change to all cached lists, pages and single rows of a table. Returns the previous cache entries. */
export function changeCachedRows(queries: QueryClient, table: TableName, change: RowChange): [QueryKey, unknown][] {
  const before = queries.getQueriesData<unknown>({ queryKey: [table] });
  for (const [key, cached] of before) {
    const next = changed(cached, change);
    if (next !== cached) queries.setQueryData(key, next);
  }
  return before;
}

function changed(cached: unknown, change: RowChange): unknown {
  if (isRows(cached)) return change(cached);
  if (isPages(cached)) return { ...cached, pages: cached.pages.map((page) => change(page)) };
  // A deleted single row stays cached until its page is closed.
  if (isRow(cached)) return change([cached])[0] ?? cached;
  return cached;
}

/** Merges the row into the cached row with the same id. */
export function replaceRow<Row extends KeyedRow>(row: Row): RowChange {
  return (rows) =>
    rows.some(({ id }) => id === row.id) ? rows.map((old) => (old.id === row.id ? { ...old, ...row } : old)) : rows;
}

export function dropRow(id: string): RowChange {
  return (rows) => (rows.some((row) => row.id === id) ? rows.filter((row) => row.id !== id) : rows);
}

const removedHere = new Set<string>();

/** Deletes a row and marks it, so that its page does not reload it while it is being closed. */
export async function removeRow(id: string, remove: () => Promise<unknown>): Promise<string> {
  removedHere.add(id);
  try {
    await remove();
  } catch (error) {
    removedHere.delete(id);
    throw error;
  }
  return id;
}

export function isRemovedHere(cached: unknown): boolean {
  return isRow(cached) && removedHere.has(cached.id);
}

function isRow(value: unknown): value is KeyedRow {
  return typeof value === "object" && value !== null && "id" in value && typeof value.id === "string";
}

function isRows(value: unknown): value is readonly KeyedRow[] {
  return Array.isArray(value) && value.every(isRow);
}

function isPages(value: unknown): value is CachedPages {
  return (
    typeof value === "object" &&
    value !== null &&
    "pages" in value &&
    Array.isArray(value.pages) &&
    value.pages.every(isRows)
  );
}
