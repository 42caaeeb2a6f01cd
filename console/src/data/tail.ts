import type { Change } from "./change.ts";

export interface Tail {
  /** The newest first. */
  readonly shown: readonly Change[];
  /** Received while paused, the newest first. */
  readonly waiting: readonly Change[];
  /** The keys of recent changes, so that one that is both read and received is shown once. */
  readonly seen: ReadonlySet<string>;
}

export const EMPTY_TAIL: Tail = { shown: [], waiting: [], seen: new Set() };
/** Older changes are dropped, so that a tab can stay open for days. */
export const MAX_KEPT = 1_000;
const MAX_SEEN = 4 * MAX_KEPT;

/** Adds changes to the list, or keeps them waiting while it is paused. */
export function addToTail(tail: Tail, changes: readonly Change[], isPaused: boolean): Tail {
  const unseen = new Map(changes.filter(({ key }) => !tail.seen.has(key)).map((one) => [one.key, one]));
  // Changes of one transaction have the same time; the last received is the newest.
  const fresh = [...unseen.values()].toReversed();
  if (fresh.length === 0) return tail;
  const { waiting, shown } = tail;
  const added = isPaused
    ? { shown, waiting: newestFirst([...fresh, ...waiting]) }
    : { shown: newestFirst([...fresh, ...waiting, ...shown]), waiting: [] };
  return { ...added, seen: new Set([...tail.seen, ...fresh.map(({ key }) => key)].slice(-MAX_SEEN)) };
}

/** Adds changes from before the shown ones, also while the list is paused. */
export function addHistory(tail: Tail, changes: readonly Change[]): Tail {
  const unseen = changes.filter(({ key }) => !tail.seen.has(key));
  return {
    ...tail,
    shown: newestFirst([...tail.shown, ...unseen]),
    seen: new Set([...tail.seen, ...unseen.map(({ key }) => key)].slice(-MAX_SEEN)),
  };
}

export function resumeTail(tail: Tail): Tail {
  if (tail.waiting.length === 0) return tail;
  return { ...tail, shown: newestFirst([...tail.waiting, ...tail.shown]), waiting: [] };
}

/** Leaves out changes from a time of which others are not read yet, such as attempts that were read apart. */
export function listSince(changes: readonly Change[], sinceMs: number): readonly Change[] {
  return changes.filter(({ kind, at }) => kind === "gap" || Date.parse(at) >= sinceMs);
}

function newestFirst(changes: readonly Change[]): readonly Change[] {
  return changes.toSorted((left, right) => Date.parse(right.at) - Date.parse(left.at)).slice(0, MAX_KEPT);
}
