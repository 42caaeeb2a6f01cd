export interface ComparedPart {
  readonly kind: "same" | "removed" | "added";
  readonly text: string;
}

/** Longer middles are shown as removed and added as a whole: the comparison takes quadratic time. */
const MAX_COMPARED = 1_000_000;

/** The lines of both texts in one order. */
export function compareLines(before: string, after: string): readonly ComparedPart[] {
  return compareParts(toLines(before), toLines(after));
}

/** The words of both texts in one order, with the white space between them. */
export function compareWords(before: string, after: string): readonly ComparedPart[] {
  return compareParts(toWords(before), toWords(after));
}

/** By the longest common subsequence. */
function compareParts(old: readonly string[], fresh: readonly string[]): readonly ComparedPart[] {
  const shorter = Math.min(old.length, fresh.length);
  let start = 0;
  while (start < shorter && old[start] === fresh[start]) start += 1;
  let end = 0;
  while (end < shorter - start && old.at(-1 - end) === fresh.at(-1 - end)) end += 1;
  const same = (parts: readonly string[]) => parts.map((text) => ({ kind: "same" as const, text }));
  return [
    ...same(old.slice(0, start)),
    ...compareMiddle(old.slice(start, old.length - end), fresh.slice(start, fresh.length - end)),
    ...same(end === 0 ? [] : old.slice(-end)),
  ];
}

function compareMiddle(old: readonly string[], fresh: readonly string[]): ComparedPart[] {
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
  const parts: ComparedPart[] = [];
  let [one, other] = [0, 0];
  while (one < old.length || other < fresh.length) {
    const [mine, theirs] = [old[one], fresh[other]];
    if (mine !== undefined && mine === theirs) {
      parts.push({ kind: "same", text: mine });
      one += 1;
      other += 1;
    } else if (theirs === undefined || (mine !== undefined && lengthAt(one + 1, other) >= lengthAt(one, other + 1))) {
      parts.push(removed(mine ?? ""));
      one += 1;
    } else {
      parts.push(added(theirs));
      other += 1;
    }
  }
  return parts;
}

function toLines(text: string): readonly string[] {
  return text === "" ? [] : text.split("\n");
}

function toWords(text: string): readonly string[] {
  return text.match(/\s+|[^\s]+/g) ?? [];
}
