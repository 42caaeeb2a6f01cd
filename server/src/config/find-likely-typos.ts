import { editDistance } from "./edit-distance.ts";
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
    const distance = editDistance(found, name, allowed);
    if (distance <= allowed && (nearest === null || distance < nearest.distance)) nearest = { name, distance };
  }
  return nearest?.name ?? null;
}
