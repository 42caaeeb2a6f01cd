import { editDistance } from "../../config/index.ts";

/** The longest list of parameters that is compared; names in PostgreSQL have at most 63 bytes. */
const MAX_LENGTH = 250;
/** As in PostgREST: the share of a name that must be right. */
const MIN_SCORE = 0.75;
const MAX_COMPARED = 1_000;

/** Names similar to a mistyped one, nearest first. The cost is bounded. */
export function nearestNames(
  wanted: string,
  names: Iterable<string>,
  { maxCount = 1, minScore = MIN_SCORE }: { readonly maxCount?: number; readonly minScore?: number } = {},
): string[] {
  if (wanted === "" || wanted.length > MAX_LENGTH) return [];
  const word = wanted.toLowerCase();
  const near: { name: string; distance: number }[] = [];
  let compared = 0;
  for (const name of names) {
    if (name === wanted) continue;
    if (++compared > MAX_COMPARED) break;
    const other = name.toLowerCase();
    if (other.length > MAX_LENGTH) continue;
    const allowed = allowedDistance(Math.max(word.length, other.length), minScore);
    const distance = editDistance(word, other, allowed);
    if (distance <= allowed) near.push({ name, distance });
  }
  near.sort((one, other) => one.distance - other.distance || (one.name < other.name ? -1 : 1));
  return near.slice(0, maxCount).map(({ name }) => name);
}

/** One letter may be wrong in any word longer than two. */
function allowedDistance(length: number, minScore: number): number {
  return length <= 2 ? 0 : Math.max(1, Math.floor(length * (1 - minScore)));
}
