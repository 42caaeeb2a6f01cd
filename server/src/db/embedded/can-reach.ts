import { dirname } from "node:path";

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
export function canReach(
  path: string,
  account: { readonly uid: number; readonly gid: number },
  ownershipOf: (path: string) => Ownership | null,
): boolean {
  for (let current = path; ; current = dirname(current)) {
    const found = ownershipOf(current);
    if (found !== null && !isAllowed(found, account, found.isDirectory ? SEARCH : READ)) return false;
    if (dirname(current) === current) return true;
  }
}

function isAllowed(found: Ownership, account: { readonly uid: number; readonly gid: number }, wanted: number): boolean {
  const shift = found.uid === account.uid ? 6 : found.gid === account.gid ? 3 : 0;
  return ((found.mode >> shift) & wanted) === wanted;
}
