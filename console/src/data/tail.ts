import type { Change } from "./change.ts";

export interface Tail {
  /** The newest first. */
  readonly shown: readonly Change[];
  /** Come while it was held, the newest first. */
  readonly waiting: readonly Change[];
  /** Keys of what came lately, so that what is told and read is shown once. */
  readonly seen: ReadonlySet<string>;
}

export const EMPTY_TAIL: Tail = { shown: [], waiting: [], seen: new Set() };
/** The list forgets what is older, so that a tab can stay open for days. */
export const MOST_KEPT = 1_000;
const MOST_SEEN = 4 * MOST_KEPT;

/** Takes news into the list, or keeps them waiting. */
export function addToTail(tail: Tail, news: readonly Change[], isHeld: boolean): Tail {
  const unseen = new Map(news.filter(({ key }) => !tail.seen.has(key)).map((one) => [one.key, one]));
  // Changes of one transaction have one time; what is told last happened last.
  const fresh = [...unseen.values()].toReversed();
  if (fresh.length === 0) return tail;
  const { waiting, shown } = tail;
  const added = isHeld
    ? { shown, waiting: newestFirst([...fresh, ...waiting]) }
    : { shown: newestFirst([...fresh, ...waiting, ...shown]), waiting: [] };
  return { ...added, seen: new Set([...tail.seen, ...fresh.map(({ key }) => key)].slice(-MOST_SEEN)) };
}

export function releaseTail(tail: Tail): Tail {
  if (tail.waiting.length === 0) return tail;
  return { ...tail, shown: newestFirst([...tail.waiting, ...tail.shown]), waiting: [] };
}

function newestFirst(changes: readonly Change[]): readonly Change[] {
  return changes.toSorted((left, right) => Date.parse(right.at) - Date.parse(left.at)).slice(0, MOST_KEPT);
}
