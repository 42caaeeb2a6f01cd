import { createBatcher } from "@swarmbase/concurrency";
interface RunBatcherOptions<Item, Answer> {
  readonly maxItems: number;
  /** How many runs are in progress on this node. */
  countRuns(): number;
  /** Items that share a key are not in the same batch. */
  keysOf?(item: Item): readonly string[];
  /** Returns one answer for each item, in their order. Null (only in a batch of several items): the item is sent again alone. */
  send(items: readonly Item[]): Promise<readonly (Answer | null)[]>;
  /** Whether a statement that failed with this error may have been committed. Then no item of the batch is sent again. */
  isInDoubt?(error: unknown): boolean;
}

/** A slow statement does not block the others, and the database uses more than one core. */
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
    if (answer === null || answer === undefined) throw new Error("a statement for one item returned no answer");
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

/** With fewer runs than this, statements are sent without a delay. */
const MIN_BATCHED_RUNS = 4;
/** A longer delay collects hardly more items and delays every run. */
const PAUSE_MS = 1;

export function pauseFor(runs: number): number {
  return runs < MIN_BATCHED_RUNS ? 0 : PAUSE_MS;
}

/** The half-life of a past load. */
const HALF_LIFE_MS = 500;

/** Clients that get their answers together send their next requests together, when hardly any run is in progress. */
export function createLoadMeter(nowMs: () => number) {
  let peak = 0;
  let peakAtMs = 0;
  /** The number of runs, or the decayed maximum of the last moments if that is higher. */
  const size = (runs: number): number => Math.max(runs, peak * 0.5 ** ((nowMs() - peakAtMs) / HALF_LIFE_MS));
  return {
    /** Must be called whenever a run starts. */
    note(runs: number): void {
      peak = size(runs);
      peakAtMs = nowMs();
    },
    size,
  };
}
