/** Rows whose visibility only the database can decide, and what to do with the result. */
interface PendingCheck {
  /** Checks with the same statement run together. */
  readonly statement: string;
  readonly images: readonly string[];
  /** The check must not run before this resolves. */
  readonly ready: Promise<void>;
  /** Called with one result per image. */
  settle(results: readonly boolean[]): void;
  fail(error: unknown): void;
}

type RunCheck = (statement: string, images: readonly string[]) => Promise<readonly boolean[]>;

type Entry =
  | { readonly kind: "check"; readonly check: PendingCheck }
  | { readonly kind: "call"; call(): void | Promise<void> };

const MAX_BATCH = 200;

/** Keeps deliveries to one identity in order during checks. Slow or failing policies of one identity do not delay others. */
export class OrderedQueue {
  readonly #runCheck: RunCheck;
  readonly #maxEntries: number;
  #entries: Entry[] = [];
  #isBusy = false;

  constructor(runCheck: RunCheck, maxEntries: number) {
    this.#runCheck = runCheck;
    this.#maxEntries = maxEntries;
  }

  get isIdle(): boolean {
    return !this.#isBusy;
  }

  get isFull(): boolean {
    return this.#entries.length >= this.#maxEntries;
  }

  /** Few enough entries wait that a part of a large transaction can be added. */
  get hasSpace(): boolean {
    return this.#entries.length < this.#maxEntries / 4;
  }

  /** Calls at once when the queue is idle, otherwise in turn. */
  call(call: () => void): void {
    if (this.isIdle) call();
    else this.#entries.push({ kind: "call", call });
  }

  /** Later entries wait for the promise. */
  waitFor(ready: Promise<void>): void {
    this.#push({ kind: "call", call: () => ready });
  }

  add(check: PendingCheck): void {
    this.#push({ kind: "check", check });
  }

  /** Resolves when all current entries are done. */
  drained(): Promise<void> {
    if (this.isIdle) return Promise.resolve();
    return new Promise((resolve) => this.#entries.push({ kind: "call", call: resolve }));
  }

  #push(entry: Entry): void {
    this.#entries.push(entry);
    if (!this.#isBusy) void this.#work();
  }

  async #work(): Promise<void> {
    this.#isBusy = true;
    // Checks that arrive in the same turn of the event loop run together.
    await Promise.resolve();
    while (this.#entries.length > 0) {
      const batch = this.#entries.splice(0, MAX_BATCH);
      const checks = batch.flatMap((entry) => (entry.kind === "check" ? [entry.check] : []));
      const outcomes = await this.#runAll(checks);
      for (const entry of batch) {
        if (entry.kind === "call") await entry.call();
        else outcomes.get(entry.check)?.();
      }
    }
    this.#isBusy = false;
  }

  /** A statement that fails does not affect the others. */
  async #runAll(checks: readonly PendingCheck[]): Promise<Map<PendingCheck, () => void>> {
    const outcomes = new Map<PendingCheck, () => void>();
    const byStatement = Map.groupBy(checks, ({ statement }) => statement);
    await Promise.all(
      Array.from(byStatement, async ([statement, group]) => {
        try {
          await Promise.all(group.map(({ ready }) => ready));
          const images = group.flatMap((check) => check.images);
          const results = await this.#runCheck(statement, images);
          let start = 0;
          for (const check of group) {
            const own = results.slice(start, start + check.images.length);
            start += check.images.length;
            outcomes.set(check, () => check.settle(own));
          }
        } catch (error) {
          for (const check of group) outcomes.set(check, () => check.fail(error));
        }
      }),
    );
    return outcomes;
  }
}
