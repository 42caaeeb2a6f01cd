export interface BatcherOptions<Item, Answer> {
  /** How long the first of a batch waits for others; 0: not at all. */
  pauseMs(): number;
  readonly most: number;
  /** No two items of a batch have one of these in common. */
  keysOf(item: Item): readonly string[];
  /** One answer for each item, in their order; null: it has to go another way. */
  work(items: readonly Item[]): Promise<readonly (Answer | null)[]>;
  /** Whether work that failed so may have been done all the same: then nobody of the batch is to ask again. */
  isInDoubt?(error: unknown): boolean;
}

interface Waiting<Item, Answer> {
  readonly item: Item;
  resolve(answer: Answer | null): void;
  reject(error: unknown): void;
}

/** So that whoever waits for a lock does not keep all others of the node waiting, and the database works on more than one core. */
const MOST_UNDER_WAY = 2;
/** Fewer are not worth a statement of their own. */
const LEAST_SHARE = 8;

/**
 * What many ask for at about the same time, asked together: a statement for many costs little more than one for one. Answers
 * with null where the others should not decide: whoever asked then asks alone, and learns what was wrong.
 */
export function createBatcher<Item, Answer>(
  options: BatcherOptions<Item, Answer>,
): (item: Item) => Promise<Answer | null> {
  let waiting: Waiting<Item, Answer>[] = [];
  let underWay = 0;
  let isScheduled = false;

  /** Those who wait are shared out among all statements that may be sent now: in one, they would all wait for the last of them. */
  const takeBatch = (): Waiting<Item, Answer>[] => {
    const share = Math.max(LEAST_SHARE, Math.ceil(waiting.length / (MOST_UNDER_WAY - underWay)));
    const most = Math.min(options.most, share);
    const keys = new Set<string>();
    const batch: Waiting<Item, Answer>[] = [];
    const left: Waiting<Item, Answer>[] = [];
    for (const one of waiting) {
      const own = options.keysOf(one.item);
      const fits = batch.length < most && own.every((key) => !keys.has(key));
      if (fits) for (const key of own) keys.add(key);
      (fits ? batch : left).push(one);
    }
    waiting = left;
    return batch;
  };
  const send = async (): Promise<void> => {
    isScheduled = false;
    // Whoever ends makes room and looks who waits.
    if (underWay >= MOST_UNDER_WAY) return;
    const batch = takeBatch();
    if (batch.length === 0) return;
    underWay += 1;
    try {
      const working = options.work(batch.map(({ item }) => item));
      if (waiting.length > 0 && underWay < MOST_UNDER_WAY) void send();
      const answers = await working;
      for (const [at, { resolve }] of batch.entries()) resolve(answers[at] ?? null);
    } catch (error) {
      const isInDoubt = options.isInDoubt?.(error) === true;
      for (const { resolve, reject } of batch) {
        if (isInDoubt) reject(error);
        else resolve(null);
      }
    }
    underWay -= 1;
    schedule();
  };
  const schedule = (): void => {
    if (isScheduled || underWay >= MOST_UNDER_WAY || waiting.length === 0) return;
    isScheduled = true;
    const pauseMs = waiting.length >= options.most ? 0 : options.pauseMs();
    if (pauseMs > 0) setTimeout(() => void send(), pauseMs);
    else void send();
  };
  return (item) =>
    new Promise((resolve, reject) => {
      waiting.push({ item, resolve, reject });
      schedule();
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
