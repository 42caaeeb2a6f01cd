import type pg from "pg";
import { type OwnedTable, selectOwners } from "./sql/select-owners.ts";
import { type Membership, selectMembership } from "./sql/select-membership.ts";
import { type SharedTable, selectTarget, type Target } from "./sql/select-target.ts";

/** Lookups that bypass row-level rules, to distinguish rows of others from missing ones. */
export interface Owners {
  /** By id, of those that exist; null for a row without an owner. */
  find(table: OwnedTable, ids: readonly string[]): Promise<ReadonlyMap<string, string | null>>;
  /** Null when there is no such swarm. */
  findMembership(swarmId: string, userId: string): Promise<Membership | null>;
  /** Null when there is no such row. */
  findTarget(table: SharedTable, id: string, userId: string): Promise<Target | null>;
}

/** The pool must be that of the service, which sees all rows. */
export function createOwners(pool: pg.Pool): Owners {
  return {
    find: (table, ids) => (ids.length === 0 ? Promise.resolve(new Map()) : selectOwners(pool, table, ids)),
    findMembership: (swarmId, userId) => selectMembership(pool, swarmId, userId),
    findTarget: (table, id, userId) => selectTarget(pool, table, id, userId),
  };
}
