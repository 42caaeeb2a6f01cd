import type { Query, QueryClient, QueryKey } from "@tanstack/react-query";
import type { TableName } from "./client.ts";
import { beganBefore, isAffectedBy, isReloadedByItself } from "./reads.ts";

/** A cached row: any row with an id. */
export interface KeyedRow {
  readonly id: string;
}

export type RowChange = (rows: readonly KeyedRow[]) => readonly KeyedRow[];

interface CachedPages {
  readonly pages: readonly (readonly KeyedRow[])[];
}

/**
 * Applies a change to all cached lists, pages and single rows of a table. Returns the previous cache entries. Rows that have to be read
 * again, such as a list of a closed page after an insert, still have to be.
 */
export function changeCachedRows(queries: QueryClient, table: TableName, change: RowChange): [QueryKey, unknown][] {
  const before: [QueryKey, unknown][] = [];
  for (const query of queries.getQueryCache().findAll({ queryKey: [table] })) {
    const { data, isInvalidated } = query.state;
    before.push([query.queryKey, data]);
    const next = changed(data, change);
    if (next === data) continue;
    queries.setQueryData(query.queryKey, next);
    if (isInvalidated) query.invalidate();
  }
  return before;
}

/**
 * Applies a change that the service has reported. A read that is in progress may have begun before the change, so its result is changed
 * as well.
 */
export function applyReportedChange(queries: QueryClient, table: TableName, change: RowChange): void {
  changeCachedRows(queries, table, change);
  for (const query of queries.getQueryCache().findAll({ queryKey: [table], fetchStatus: "fetching" })) {
    const apply = (): void => void query.setData(changed(query.state.data, change));
    // A read that failed has changed nothing.
    query.promise?.then(apply, () => {});
  }
}

/** Reads the rows of a table again, after rows were inserted or deleted. */
export function reloadRows(queries: QueryClient, table: TableName): Promise<void> {
  return reloadWhere(queries, (query) => query.queryKey[0] === table && !isReloadedByItself(query));
}

/** Reads what depends on a table again, if the read began before its channel had joined: changes until then have not been sent. */
export function reloadReadBefore(queries: QueryClient, table: TableName, joinedAt: number): Promise<void> {
  return reloadWhere(queries, (query) => isAffectedBy(query, table) && beganBefore(query, joinedAt));
}

/** A first read in progress cannot be cancelled and may have begun too early, so it ends before. */
async function reloadWhere(queries: QueryClient, isMeant: (query: Query) => boolean): Promise<void> {
  const reads = queries.getQueryCache().findAll({ fetchStatus: "fetching", predicate: isMeant });
  const first = reads.flatMap(({ state, promise }) => (state.data === undefined && promise ? [promise] : []));
  await Promise.allSettled(first);
  await queries.invalidateQueries({ predicate: (query) => isMeant(query) && !isRemovedHere(query.state.data) });
}

function changed(cached: unknown, change: RowChange): unknown {
  if (isRows(cached)) return change(cached);
  if (isPages(cached)) {
    const pages = cached.pages.map((page) => change(page));
    return pages.every((page, index) => page === cached.pages[index]) ? cached : { ...cached, pages };
  }
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

function isRemovedHere(cached: unknown): boolean {
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
