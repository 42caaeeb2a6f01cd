import { createBatcher } from "../concurrency/index.ts";

export interface RunBatcherOptions<Item, Answer> {
  readonly maxItems: number;
  /** How many runs are in progress on this node. */
  countRuns(): number;
  /** No two items of a batch have one of these in common. */
  keysOf?(item: Item): readonly string[];
  /** One answer for each item, in their order. Null, in a batch of several items only: the item is sent again alone. */
  send(items: readonly Item[]): Promise<readonly (Answer | null)[]>;
  /** Whether a statement that failed with this error may have been committed: then no item of the batch is sent again. */
  isInDoubt?(error: unknown): boolean;
}

/** A statement that takes long does not hold up the others, and the database works on more than one core. */
const MAX_CONCURRENT = 2;

/**
 * Sends items that arrive at about the same time in one statement: a statement for many rows costs little more than one
 * for one row. A statement for several items never waits for locks. An item that it leaves out, and every item of a batch
 * that fails, is sent again alone, which may wait and which reports the item's own error.
 */
export function createRunBatcher<Item, Answer>(
  options: RunBatcherOptions<Item, Answer>,
): (item: Item) => Promise<Answer> {
  const { maxItems, countRuns, keysOf = () => [], send, isInDoubt = () => false } = options;
  const sendAlone = async (item: Item): Promise<Answer> => {
    const [answer] = await send([item]);
    if (answer === null || answer === undefined) throw new Error("a statement for one item gave no answer");
    return answer;
  };
  const sendTogether = createBatcher<Item, Answer | null>({
    maxItems,
    maxConcurrent: MAX_CONCURRENT,
    keysOf,
    delayMs: () => pauseFor(countRuns()),
    run: async (items) => {
      const [first] = items;
      if (items.length === 1 && first !== undefined) return [await sendAlone(first)];
      try {
        const answers = await send(items);
        return items.map((_, index) => answers[index] ?? null);
      } catch (error) {
        if (isInDoubt(error)) throw error;
        return items.map(() => null);
      }
    },
  });
  return async (item) => (await sendTogether(item)) ?? (await sendAlone(item));
}

/** Fewer runs than this do not wait for each other. More would wait for the machine if each were sent alone. */
const MIN_BATCHED_RUNS = 4;
/** A longer pause collects hardly more, and all callers stand still meanwhile. */
const PAUSE_MS = 1;

export function pauseFor(runs: number): number {
  return runs < MIN_BATCHED_RUNS ? 0 : PAUSE_MS;
}

/** After this time half of a past load no longer counts. */
const HALF_LIFE_MS = 500;

export interface LoadMeter {
  /** Must be called whenever a run starts. */
  note(runs: number): void;
  /** The number of runs now, or what is left of a higher number a moment ago. */
  size(runs: number): number;
}

/** Callers that get their answers together call again together, at a moment when hardly any run is in progress. */
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
