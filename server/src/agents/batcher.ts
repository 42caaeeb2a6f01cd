import { createBatcher } from "../concurrency/index.ts";

export interface RunBatcherOptions<Item, Answer> {
  readonly maxItems: number;
  /** How many runs are in progress on this node. */
  countRuns(): number;
  /** No two items of a batch have one of these in common. */
  keysOf?(item: Item): readonly string[];
  /** One answer per item, in their order; null: the item has to be handled alone. */
  work(items: readonly Item[]): Promise<readonly (Answer | null)[]>;
  /** Whether work that failed with this error may have been done all the same, so that no item may be tried again. */
  isInDoubt?(error: unknown): boolean;
}

/** While one statement waits for a lock, another one serves the rest of the node, on another core of the database. */
const MAX_CONCURRENT = 2;

/**
 * Runs what many callers ask for at about the same time in one statement, which costs little more than for one of them.
 * Resolves with null where an item has to be handled alone, among others when the statement failed.
 */
export function createRunBatcher<Item, Answer>({
  maxItems,
  countRuns,
  keysOf = () => [],
  work,
  isInDoubt = () => false,
}: RunBatcherOptions<Item, Answer>): (item: Item) => Promise<Answer | null> {
  return createBatcher<Item, Answer | null>({
    maxItems,
    maxConcurrent: MAX_CONCURRENT,
    keysOf,
    delayMs: () => pauseFor(countRuns()),
    run: async (items) => {
      try {
        const answers = await work(items);
        return items.map((_, index) => answers[index] ?? null);
      } catch (error) {
        if (isInDoubt(error)) throw error;
        return items.map(() => null);
      }
    },
  });
}

/** Few do not wait for each other. Many would wait for the machine, if each came alone. */
const UNHURRIED_RUNS = 4;
/** Longer ones gather hardly more, and all of a wave stand still meanwhile. */
const PAUSE_MS = 1;

export function pauseFor(runs: number): number {
  return runs < UNHURRIED_RUNS ? 0 : PAUSE_MS;
}

/** How long it takes until half of a crowd that has dispersed is forgotten. */
const HALF_LIFE_MS = 500;

export interface LoadMeter {
  /** To be told whenever a run begins. */
  note(runs: number): void;
  /** As many as there are, or as there were a moment ago. */
  size(runs: number): number;
}

/** Callers who are answered together ask again together, at a moment when hardly any run is under way. */
export function createLoadMeter(nowMs: () => number): LoadMeter {
  let peak = 0;
  let peakAtMs = 0;
  const size = (runs: number): number => Math.max(runs, peak * 0.5 ** ((nowMs() - peakAtMs) / HALF_LIFE_MS));
  return {
    note(runs) {
      peak = size(runs);
      peakAtMs = nowMs();
    },
    size,
  };
}
