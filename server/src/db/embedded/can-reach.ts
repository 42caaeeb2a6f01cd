import { statSync } from "node:fs";
import { dirname } from "node:path";
import type { Account } from "./choose-account.ts";

export interface Ownership {
  readonly uid: number;
  readonly gid: number;
  readonly mode: number;
  readonly isDirectory: boolean;
}

const READ = 4;
const SEARCH = 1;

/**
 * Whether an account without supplementary groups may read a file or enter a folder, by the mode bits from the root down.
 * `ownershipOf` returns null for a path that does not exist yet: we create it, accessible.
 */
export function canReach(path: string, account: Omit<Account, "name">, ownershipOf = readOwnership): boolean {
  const found = ownershipOf(path);
  if (found !== null) {
    const shift = found.uid === account.uid ? 6 : found.gid === account.gid ? 3 : 0;
    const needed = found.isDirectory ? SEARCH : READ;
    if (((found.mode >> shift) & needed) === 0) return false;
  }
  return dirname(path) === path || canReach(dirname(path), account, ownershipOf);
}

function readOwnership(path: string): Ownership | null {
  const found = statSync(path, { throwIfNoEntry: false });
  if (found === undefined) return null;
  return { uid: found.uid, gid: found.gid, mode: found.mode, isDirectory: found.isDirectory() };
}
