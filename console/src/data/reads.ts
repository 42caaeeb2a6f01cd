import { hashKey, type Query, type QueryKey } from "@tanstack/react-query";
import type { TableName } from "./client.ts";

/** When the latest read of each query began, by the hash of its key. */
const begunAt = new Map<string, number>();

export function recordRead(key: QueryKey): void {
  begunAt.set(hashKey(key), performance.now());
}

/** The latest read of the query, finished or not, began before this time: it may lack changes that realtime does not send again. */
export function beganBefore(query: Query, time: number): boolean {
  return (begunAt.get(query.queryHash) ?? 0) < time;
}

/** The tables whose changes affect a query, besides the first part of its key. */
interface ReadMeta extends Record<string, unknown> {
  readonly follows: readonly TableName[];
  readonly reloadsItself: boolean;
}

export function buildMeta(follows: readonly TableName[], reloadsItself: boolean): ReadMeta {
  return { follows, reloadsItself };
}

export function isAffectedBy({ queryKey, meta }: Query, table: TableName): boolean {
  return queryKey[0] === table || ((meta as ReadMeta | undefined)?.follows.includes(table) ?? false);
}

/** Its hook decides which inserted and deleted rows matter. */
export function isReloadedByItself({ meta }: Query): boolean {
  return (meta as ReadMeta | undefined)?.reloadsItself ?? false;
}
