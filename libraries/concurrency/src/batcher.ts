export interface BatcherOptions<Item, Result> {
  /** Resolves with one result per item, in the order of the items. A result that is an Error rejects its item alone. */
  run(items: readonly Item[]): Promise<readonly (Result | Error)[]>;
  readonly maxItems?: number;
  /** The sum of `sizeOf` over the items of a batch. A larger item makes a batch by itself. */
  readonly maxSize?: number;
  sizeOf?(item: Item): number;
  /** Batches that run at a time; 1 by default. */
  readonly maxConcurrent?: number;
  /** No two items of a batch have a key in common. */
  keysOf?(item: Item): readonly string[];
  /** How long a batch that is not full waits for more items; 0 by default. `afterBatch`: its items waited for another batch to end. */
  delayMs?(afterBatch: boolean): number;
}

interface Waiting<Item, Result> {
  readonly item: Item;
  resolve(result: Result): void;
  reject(error: unknown): void;
}

/** Fewer items are not worth a batch of their own. */
const MIN_SHARE = 8;
const NO_KEYS: readonly string[] = [];

/** Runs items that arrive at about the same time together. */
export function createBatcher<Item, Result>(options: BatcherOptions<Item, Result>): (item: Item) => Promise<Result> {
  const { maxItems = Number.POSITIVE_INFINITY, maxSize = Number.POSITIVE_INFINITY, maxConcurrent = 1 } = options;
  const sizeOf = (item: Item): number => options.sizeOf?.(item) ?? 0;
  const keysOf = (item: Item): readonly string[] => options.keysOf?.(item) ?? NO_KEYS;
  let waiting: Waiting<Item, Result>[] = [];
  let running = 0;
  let isScheduled = false;
  let timer: NodeJS.Timeout | undefined;

  /** Shares the items among the batches that may run now: in a single one, all would wait for the slowest. */
  const takeBatch = (): Waiting<Item, Result>[] => {
    const share = Math.max(MIN_SHARE, Math.ceil(waiting.length / (maxConcurrent - running)));
    const limit = Math.min(maxItems, share);
    const keys = new Set<string>();
    const batch: Waiting<Item, Result>[] = [];
    const left: Waiting<Item, Result>[] = [];
    let size = 0;
    for (const one of waiting) {
      const ownKeys = keysOf(one.item);
      size += sizeOf(one.item);
      const fits =
        batch.length < limit && (batch.length === 0 || size <= maxSize) && !ownKeys.some((key) => keys.has(key));
      if (fits) for (const key of ownKeys) keys.add(key);
      (fits ? batch : left).push(one);
    }
    waiting = left;
    return batch;
  };
  const start = async (): Promise<void> => {
    isScheduled = false;
    clearTimeout(timer);
    if (running >= maxConcurrent || waiting.length === 0) return;
    const batch = takeBatch();
    running += 1;
    try {
      const work = options.run(batch.map(({ item }) => item));
      if (waiting.length > 0 && running < maxConcurrent) void start();
      settle(batch, await work);
    } catch (error) {
      for (const { reject } of batch) reject(error);
    }
    running -= 1;
    schedule(true);
  };
  const schedule = (afterBatch: boolean): void => {
    const isFull = waiting.length >= maxItems;
    if ((isScheduled && !isFull) || running >= maxConcurrent || waiting.length === 0) return;
    isScheduled = true;
    const delayMs = isFull ? 0 : (options.delayMs?.(afterBatch) ?? 0);
    if (delayMs > 0) timer = setTimeout(() => void start(), delayMs);
    else void start();
  };

  return (item) =>
    new Promise((resolve, reject) => {
      waiting.push({ item, resolve, reject });
      schedule(false);
    });
}

function settle<Item, Result>(batch: readonly Waiting<Item, Result>[], results: readonly (Result | Error)[]): void {
  if (results.length !== batch.length)
    throw new Error(`a batch of ${batch.length} items returned ${results.length} results`);
  for (const [index, { resolve, reject }] of batch.entries()) {
    const result = results[index] as Result | Error;
    if (result instanceof Error) reject(result);
    else resolve(result);
  }
}
