/** Insertions, deletions, substitutions and swaps of neighbours; anything above `limit` is only known to be above it. */
export function editDistance(one: string, other: string, limit: number): number {
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
