import type pg from "pg";
import { type OwnedTable, selectOwners } from "./sql/select-owners.ts";
import { type SharedTable, selectSeen } from "./sql/select-seen.ts";

/** Looks past the row rules, to tell what is somebody else's from what is not there. */
export interface Owners {
  /** By id, of those that exist; null for a row without an owner. */
  find(table: OwnedTable, ids: readonly string[]): Promise<ReadonlyMap<string, string | null>>;
  /** Whether the row is there, still means something, and is one that the user may read. */
  sees(table: SharedTable, id: string, userId: string): Promise<boolean>;
}

/** The pool must be the service's own, which sees all rows. */
export function createOwners(pool: pg.Pool): Owners {
  return {
    find: (table, ids) => (ids.length === 0 ? Promise.resolve(new Map()) : selectOwners(pool, table, ids)),
    sees: (table, id, userId) => selectSeen(pool, table, id, userId),
  };
}
