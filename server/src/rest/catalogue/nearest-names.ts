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

/** Insertions, deletions, substitutions and swaps of neighbours; anything above `limit` is only known to be above it. */
function editDistance(one: string, other: string, limit: number): number {
  const beyond = limit + 1;
  if (Math.abs(one.length - other.length) > limit) return beyond;
  const width = other.length + 1;
  let before = new Uint8Array(width).fill(beyond);
  let above = Uint8Array.from({ length: width }, (_, column) => Math.min(column, beyond));
  let row = new Uint8Array(width);
  for (let line = 1; line <= one.length; line++) {
    // Only cells this near to the diagonal can end within the limit.
    const first = Math.max(1, line - limit);
    const last = Math.min(other.length, line + limit);
    row.fill(beyond);
    if (line <= limit) row[0] = line;
    let least = row[0] ?? beyond;
    for (let column = first; column <= last; column++) {
      const isEqual = one[line - 1] === other[column - 1];
      let cost = Math.min(
        (above[column - 1] ?? beyond) + (isEqual ? 0 : 1),
        (above[column] ?? beyond) + 1,
        (row[column - 1] ?? beyond) + 1,
      );
      const isSwap =
        line > 1 && column > 1 && one[line - 1] === other[column - 2] && one[line - 2] === other[column - 1];
      if (isSwap) cost = Math.min(cost, (before[column - 2] ?? beyond) + 1);
      row[column] = Math.min(cost, beyond);
      least = Math.min(least, row[column] ?? beyond);
    }
    if (least > limit) return beyond;
    [before, above, row] = [above, row, before];
  }
  return above[other.length] ?? beyond;
}
