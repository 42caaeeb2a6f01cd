import { type ComparedPart, compareLines, compareWords } from "./compare-lines.ts";

/** A line, with its words if it took the place of another line. */
export interface PairedLine extends ComparedPart {
  /** The words of this line alone. Null means that the whole line is the same, or has no counterpart. */
  readonly words: readonly ComparedPart[] | null;
}

/** Lines with less in common are different lines, not two forms of one. */
const MIN_COMMON_SHARE = 0.3;

/** The lines of both texts. A block of lines that took the place of another block is compared word by word. */
export function pairLines(before: string, after: string): readonly PairedLine[] {
  const lines = compareLines(before, after);
  const paired: PairedLine[] = [];
  for (let start = 0; start < lines.length; ) {
    const removed = takeWhile(lines, start, "removed");
    const added = takeWhile(lines, start + removed.length, "added");
    if (removed.length + added.length === 0) {
      const line = lines[start];
      if (line !== undefined) paired.push({ ...line, words: null });
      start += 1;
      continue;
    }
    const compared = removed.map(({ text }, place) => compareAlike(text, added[place]?.text));
    paired.push(
      ...removed.map((line, place) => ({ ...line, words: without(compared[place], "added") })),
      ...added.map((line, place) => ({ ...line, words: without(compared[place], "removed") })),
    );
    start += removed.length + added.length;
  }
  return paired;
}

function takeWhile(lines: readonly ComparedPart[], start: number, kind: ComparedPart["kind"]): readonly ComparedPart[] {
  let end = start;
  while (lines[end]?.kind === kind) end += 1;
  return lines.slice(start, end);
}

function compareAlike(before: string, after: string | undefined): readonly ComparedPart[] | null {
  if (after === undefined) return null;
  const words = compareWords(before, after);
  const common = words.reduce((sum, { kind, text }) => (kind === "same" ? sum + text.trim().length : sum), 0);
  const isAlike = common >= MIN_COMMON_SHARE * Math.min(before.trim().length, after.trim().length);
  return isAlike && common > 0 ? words : null;
}

function without(
  words: readonly ComparedPart[] | null | undefined,
  left: ComparedPart["kind"],
): readonly ComparedPart[] | null {
  return words?.filter(({ kind }) => kind !== left) ?? null;
}
