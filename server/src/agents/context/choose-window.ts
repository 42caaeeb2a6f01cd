/** What the choice depends on. A line is a message, with the tool calls that were made before it. */
export interface WindowLine {
  readonly seq: number;
  readonly tokens: number;
  /** Null: no tool calls. */
  readonly calls: {
    /** Null: the client has sent them with the message, and they stay with it. */
    readonly runId: string | null;
    readonly tokens: number;
    readonly cutTokens: number;
  } | null;
}

export interface WindowLimits {
  readonly maxLines: number;
  readonly maxTokens: number;
  /** The tool calls of this many runs stay when older lines fall out. */
  readonly keptRuns: number;
  /** There are older lines. */
  readonly areLinesCut: boolean;
  /** Not all tool calls of the first line that has some are known. */
  readonly areCallsCut: boolean;
}

/** Indexes of lines, oldest first. */
export interface Window {
  readonly start: number;
  /** Tool calls of lines before this one are left out. */
  readonly callsFrom: number;
  /** Of tool calls of lines before this one, only the head of the result stays. */
  readonly wholeFrom: number;
  /** In the limit of tokens, fewer lines than the limit of lines allows. */
  readonly isShortened: boolean;
  readonly tokens: number;
}

type Choice = Pick<Window, "start" | "callsFrom" | "wholeFrom">;

/** The part of the lines that falls out at once. */
const BLOCKS_PER_WINDOW = 4;
/** At least this part of the tokens stays when something falls out. */
const KEPT_SHARE = 1 / 2;

/**
 * Chooses the lines that a model reads. Providers charge less for a prompt that begins like an earlier one, so lines fall out in
 * blocks, whose bounds depend on the numbers of the lines alone: from one call to the next, the first line mostly stays.
 * Results of tools are cut before they are left out, and left out before messages are.
 */
export function chooseWindow(lines: readonly WindowLine[], limits: WindowLimits): Window {
  const end = lines.length;
  const maxLines = Math.max(1, Math.trunc(limits.maxLines) || 1);
  const blockSize = Math.ceil(maxLines / BLOCKS_PER_WINDOW);
  const bounds = listBounds(lines, blockSize).filter((index) => index > 0 || !limits.areLinesCut);
  const first = bounds.find((index) => end - index <= maxLines) ?? Math.max(0, end - maxLines);
  const count = createCounter(lines);
  const choose = (from: number, to: number, choiceAt: (index: number) => Choice): Choice | null => {
    const tokensAt = (index: number): number => count(choiceAt(index));
    const index = findStableIndex(lines, { from, to, tokensAt, maxTokens: limits.maxTokens });
    return index === null ? null : choiceAt(index);
  };

  const withoutCalls = (start: number): Choice => ({ start, callsFrom: end, wholeFrom: end });
  const { start } = choose(first, end - 1, withoutCalls) ?? withoutCalls(Math.max(0, end - 1));
  const callsFrom = Math.max(
    start === 0 ? 0 : findCallsFrom(lines, start + maxLines - blockSize + 1, limits.keptRuns, start),
    limits.areCallsCut ? findKnownCalls(lines, bounds) : 0,
  );
  const whole = { start, callsFrom, wholeFrom: start };
  const chosen =
    count(whole) <= limits.maxTokens
      ? whole
      : (choose(callsFrom, end, (wholeFrom) => ({ start, callsFrom, wholeFrom })) ??
        choose(callsFrom, end, (index) => ({ start, callsFrom: index, wholeFrom: end })) ??
        withoutCalls(start));
  return { ...chosen, isShortened: start > first, tokens: count(chosen) };
}

/** The first of the lines that fill half of the limits, and of more only the last line. */
export function findHalf(lines: readonly WindowLine[], { maxLines, maxTokens }: WindowLimits): number {
  let index = Math.max(0, lines.length - 1);
  let tokens = lines[index]?.tokens ?? 0;
  while (index > 0 && lines.length - index < Math.floor(maxLines * KEPT_SHARE)) {
    tokens += lines[index - 1]?.tokens ?? 0;
    if (tokens > maxTokens * KEPT_SHARE) break;
    index -= 1;
  }
  return index;
}

/** The lines that begin a block. The first line does if there is none before it. */
function listBounds(lines: readonly WindowLine[], size: number): number[] {
  const blockOf = ({ seq }: WindowLine): number => Math.floor(seq / size);
  return lines.flatMap((line, index) => {
    const before = lines[index - 1];
    return before === undefined || blockOf(before) !== blockOf(line) ? [index] : [];
  });
}

/** The first line whose tool calls stay: as when the lines before `start` fell out, so that it changes with `start` alone. */
function findCallsFrom(lines: readonly WindowLine[], end: number, keptRuns: number, start: number): number {
  const runs = new Set<string>();
  for (let index = Math.min(end, lines.length) - 1; index >= start; index -= 1) {
    const runId = lines[index]?.calls?.runId ?? null;
    if (runId === null) continue;
    runs.add(runId);
    if (runs.size > keptRuns) return index + 1;
  }
  return start;
}

function findKnownCalls(lines: readonly WindowLine[], bounds: readonly number[]): number {
  const oldest = lines.findIndex(({ calls }) => calls !== null && calls.runId !== null);
  return bounds.find((index) => index > oldest) ?? lines.length;
}

/**
 * The index at which so much falls out that the rest fits. Of those that leave enough, it is the line whose number is divisible by the
 * highest power of two: this one stays the choice for the longest time while lines follow. Null: nothing fits.
 */
function findStableIndex(
  lines: readonly WindowLine[],
  range: {
    readonly from: number;
    readonly to: number;
    /** Never increases with the index. */
    readonly tokensAt: (index: number) => number;
    readonly maxTokens: number;
  },
): number | null {
  const { from, to, tokensAt, maxTokens } = range;
  let found: number | null = null;
  let power = -1;
  for (let index = from; index <= to; index += 1) {
    const tokens = tokensAt(index);
    if (tokens > maxTokens) continue;
    // Nothing has to fall out.
    if (index === from) return from;
    if (found !== null && tokens < maxTokens * KEPT_SHARE) break;
    const { seq = 0 } = lines[index] ?? {};
    if ((seq & -seq) <= power) continue;
    power = seq & -seq;
    found = index;
  }
  return found;
}

/** Counts the tokens of choices. */
function createCounter(lines: readonly WindowLine[]): (choice: Choice) => number {
  /** By index: the sums of all lines before it. */
  const sums = { text: [0], whole: [0], cut: [0] };
  for (const { tokens, calls } of lines) {
    sums.text.push((sums.text.at(-1) ?? 0) + tokens);
    sums.whole.push((sums.whole.at(-1) ?? 0) + (calls?.tokens ?? 0));
    sums.cut.push((sums.cut.at(-1) ?? 0) + (calls?.cutTokens ?? 0));
  }
  const between = (sum: readonly number[], from: number, to: number): number =>
    Math.max(0, (sum[to] ?? 0) - (sum[Math.min(from, to)] ?? 0));
  const end = lines.length;
  return ({ start, callsFrom, wholeFrom }) => {
    const from = Math.max(start, callsFrom);
    const whole = Math.max(from, wholeFrom);
    return between(sums.text, start, end) + between(sums.cut, from, whole) + between(sums.whole, whole, end);
  };
}
