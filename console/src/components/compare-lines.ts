export interface ComparedLine {
  readonly kind: "same" | "removed" | "added";
  readonly text: string;
}

/** Longer middles are shown as removed and added as a whole: the comparison takes quadratic time. */
const MAX_COMPARED = 1_000_000;

/** The lines of both texts in one order, by their longest common subsequence. */
export function compareLines(before: string, after: string): readonly ComparedLine[] {
  const [old, fresh] = [toLines(before), toLines(after)];
  const shorter = Math.min(old.length, fresh.length);
  let start = 0;
  while (start < shorter && old[start] === fresh[start]) start += 1;
  let end = 0;
  while (end < shorter - start && old.at(-1 - end) === fresh.at(-1 - end)) end += 1;
  const same = (lines: readonly string[]) => lines.map((text) => ({ kind: "same" as const, text }));
  return [
    ...same(old.slice(0, start)),
    ...compareMiddle(old.slice(start, old.length - end), fresh.slice(start, fresh.length - end)),
    ...same(end === 0 ? [] : old.slice(-end)),
  ];
}

function compareMiddle(old: readonly string[], fresh: readonly string[]): ComparedLine[] {
  const removed = (text: string) => ({ kind: "removed" as const, text });
  const added = (text: string) => ({ kind: "added" as const, text });
  if (old.length * fresh.length > MAX_COMPARED) return [...old.map(removed), ...fresh.map(added)];
  const width = fresh.length + 1;
  // The length of the longest common subsequence of what follows both places.
  const lengths = new Uint32Array((old.length + 1) * width);
  const lengthAt = (one: number, other: number): number => lengths[one * width + other] ?? 0;
  for (let one = old.length - 1; one >= 0; one -= 1)
    for (let other = fresh.length - 1; other >= 0; other -= 1)
      lengths[one * width + other] =
        old[one] === fresh[other]
          ? lengthAt(one + 1, other + 1) + 1
          : Math.max(lengthAt(one + 1, other), lengthAt(one, other + 1));
  const lines: ComparedLine[] = [];
  let [one, other] = [0, 0];
  while (one < old.length || other < fresh.length) {
    const [mine, theirs] = [old[one], fresh[other]];
    if (mine !== undefined && mine === theirs) {
      lines.push({ kind: "same", text: mine });
      one += 1;
      other += 1;
    } else if (theirs === undefined || (mine !== undefined && lengthAt(one + 1, other) >= lengthAt(one, other + 1))) {
      lines.push(removed(mine ?? ""));
      one += 1;
    } else {
      lines.push(added(theirs));
      other += 1;
    }
  }
  return lines;
}

function toLines(text: string): readonly string[] {
  return text === "" ? [] : text.split("\n");
}
