/** What the choice depends on. A line is a message, with the tool calls that were made before it. */
export interface WindowLine {
  readonly seq: number;
  readonly tokens: number;
  /** Null means that there are no tool calls. */
  readonly calls: {
    /** Null means that the client has sent them with the message, and they stay with it. */
    readonly runId: string | null;
    readonly tokens: number;
    readonly cutTokens: number;
  } | null;
}

interface WindowLimits {
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
export interface ConversationWindow {
  readonly start: number;
  /** Tool calls of lines before this one are left out. */
  readonly callsFrom: number;
  /** Of tool calls of lines before this one, only the head of the result stays. */
  readonly wholeFrom: number;
  /** In the limit of tokens, fewer lines than the limit of lines allows. */
  readonly isShortened: boolean;
  readonly tokens: number;
}

type Choice = Pick<ConversationWindow, "start" | "callsFrom" | "wholeFrom">;

/** The part of the lines that falls out at once. */
const BLOCKS_PER_WINDOW = 4;
/** At least this part of the tokens stays when something falls out, if lines are not too long for it. */
const KEPT_SHARE = 1 / 2;

/**
 * Chooses the lines that a model reads. Providers charge less for a prompt that begins like an earlier one, so lines fall out in
 * blocks of at least a quarter: from one call to the next, the first line mostly stays. Of the limit of lines, blocks depend on the
 * numbers of the lines alone; of the limit of tokens, on all lines that the first limit allows.
 * Results of tools are cut before they are left out, and left out before messages are.
 */
export function chooseWindow(lines: readonly WindowLine[], limits: WindowLimits): ConversationWindow {
  const end = lines.length;
  const maxLines = Math.max(1, Math.trunc(limits.maxLines) || 1);
  const blockSize = Math.ceil(maxLines / BLOCKS_PER_WINDOW);
  const bounds = listBounds(lines, blockSize).filter((index) => index > 0 || !limits.areLinesCut);
  const first = bounds.find((index) => end - index <= maxLines) ?? Math.max(0, end - maxLines);
  const start = findStart(lines, first, limits.maxTokens);
  const count = createCounter(lines);
  const choose = (choiceAt: (index: number) => Choice): Choice | null => {
    const tokensAt = (index: number): number => count(choiceAt(index));
    const index = findStableIndex(lines, { from: callsFrom, to: end, tokensAt, maxTokens: limits.maxTokens });
    return index === null ? null : choiceAt(index);
  };
  const callsFrom = Math.max(
    start === 0 ? 0 : findCallsFrom(lines, start + maxLines - blockSize + 1, limits.keptRuns, start),
    limits.areCallsCut ? findKnownCalls(lines, bounds) : 0,
  );
  const whole = { start, callsFrom, wholeFrom: start };
  const chosen =
    count(whole) <= limits.maxTokens
      ? whole
      : (choose((wholeFrom) => ({ start, callsFrom, wholeFrom })) ??
        choose((index) => ({ start, callsFrom: index, wholeFrom: end })) ?? { start, callsFrom: end, wholeFrom: end });
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
  const blockOf = ({ seq }: WindowLine): number => Math.floor((seq - 1) / size);
  return lines.flatMap((line, index) => {
    const before = lines[index - 1];
    return before === undefined || blockOf(before) !== blockOf(line) ? [index] : [];
  });
}

/**
 * The first line of a window that grows from `first` on, line by line: when it no longer fits, at least a quarter of the limit falls
 * out, or all lines but the newest.
 */
function findStart(lines: readonly WindowLine[], first: number, maxTokens: number): number {
  const sums = addUp(lines, ({ tokens }) => tokens);
  let start = first;
  for (let to = first; to < lines.length; to += 1) {
    const tokensAt = (index: number): number => (sums[to + 1] ?? 0) - (sums[index] ?? 0);
    const tokens = tokensAt(start);
    if (tokens <= maxTokens) continue;
    let from = start + 1;
    while (from < to && tokens - tokensAt(from) < maxTokens / BLOCKS_PER_WINDOW) from += 1;
    start = findStableIndex(lines, { from, to, tokensAt, maxTokens }) ?? to;
  }
  return start;
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
 * highest power of two: this one stays the choice for the longest time while lines follow. Null means that nothing fits.
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
    if (found !== null && tokens < maxTokens * KEPT_SHARE) break;
    const { seq = 0 } = lines[index] ?? {};
    if ((seq & -seq) <= power) continue;
    power = seq & -seq;
    found = index;
  }
  return found;
}

/** By index: the sum of all lines before it. */
function addUp(lines: readonly WindowLine[], countOf: (line: WindowLine) => number): readonly number[] {
  const sums = [0];
  for (const line of lines) sums.push((sums.at(-1) ?? 0) + countOf(line));
  return sums;
}

/** Counts the tokens of choices. */
function createCounter(lines: readonly WindowLine[]): (choice: Choice) => number {
  const texts = addUp(lines, ({ tokens }) => tokens);
  const wholes = addUp(lines, ({ calls }) => calls?.tokens ?? 0);
  const cuts = addUp(lines, ({ calls }) => calls?.cutTokens ?? 0);
  const between = (sums: readonly number[], from: number, to: number): number =>
    Math.max(0, (sums[to] ?? 0) - (sums[Math.min(from, to)] ?? 0));
  const end = lines.length;
  return ({ start, callsFrom, wholeFrom }) => {
    const from = Math.max(start, callsFrom);
    const whole = Math.max(from, wholeFrom);
    return between(texts, start, end) + between(cuts, from, whole) + between(wholes, whole, end);
  };
}
