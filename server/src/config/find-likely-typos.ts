import type { Environment } from "./load-settings.ts";
import { SETTINGS } from "./settings-table.ts";

export interface LikelyTypo {
  readonly found: string;
  readonly meant: string;
}

/** Variables of other programs that happen to look like ours. */
const NAMES_OF_OTHERS: ReadonlySet<string> = new Set(["SSL_CERT_FILE"]);

/** In a short name two changes make another word: HOME is two letters from HOST. */
const SHORT_NAME_LENGTH = 6;

/** Finds variables that look like a misspelt setting. They are no faults: they may belong to other programs. */
export function findLikelyTypos(env: Environment, extensionNames: readonly string[] = []): readonly LikelyTypo[] {
  const names = [...SETTINGS.map((row) => row.name), ...extensionNames];
  const known: ReadonlySet<string> = new Set([...names, ...NAMES_OF_OTHERS]);
  const typos: LikelyTypo[] = [];
  for (const [found, value] of Object.entries(env)) {
    if (known.has(found) || value === undefined || value === "") continue;
    const meant = findNearest(found.toUpperCase(), names);
    if (meant !== null) typos.push({ found, meant });
  }
  return typos;
}

function findNearest(found: string, names: readonly string[]): string | null {
  let nearest: { name: string; distance: number } | null = null;
  for (const name of names) {
    const allowed = name.length < SHORT_NAME_LENGTH ? 1 : 2;
    if (Math.abs(found.length - name.length) > allowed) continue;
    const distance = editDistance(found, name, allowed);
    if (distance <= allowed && (nearest === null || distance < nearest.distance)) nearest = { name, distance };
  }
  return nearest?.name ?? null;
}

/**
 * The optimal string alignment distance: insertions, deletions, replacements and swaps of two neighbours. Infinity when it exceeds
 * the limit.
 */
function editDistance(left: string, right: string, limit: number): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: right.length + 1 }, (_, column) => column);
  for (let row = 1; row <= left.length; row++) {
    const current = [row];
    for (let column = 1; column <= right.length; column++) {
      const isSame = left[row - 1] === right[column - 1];
      const isSwap = left[row - 1] === right[column - 2] && left[row - 2] === right[column - 1];
      const costs = [
        (last[column] ?? Infinity) + 1,
        (current[column - 1] ?? Infinity) + 1,
        (last[column - 1] ?? Infinity) + (isSame ? 0 : 1),
        isSwap ? (beforeLast[column - 2] ?? Infinity) + 1 : Infinity,
      ];
      current.push(Math.min(...costs));
    }
    // A swap reaches back two rows, so both have to exceed the limit.
    if (Math.min(...last, ...current) > limit) return Infinity;
    beforeLast = last;
    last = current;
  }
  return last[right.length] ?? Infinity;
}
