/** Longer than a poll takes, and shorter than the interval of polls without a wake-up. */
const NOTIFY_AFTER_MS = 50;

/**
 * Notifies other nodes of work only if this node does not poll for it soon: a write then costs one poll, and not one on every
 * node.
 */
export class WorkNotice {
  readonly #notify: () => void;
  readonly #notifyAfterMs: number;
  /** Since when work waits for a poll of this node; null when none does. */
  #waitsSinceMs: number | null = null;
  #isCheckScheduled = false;
  #isPolling = false;

  constructor(notify: () => void, notifyAfterMs = NOTIFY_AFTER_MS) {
    this.#notify = notify;
    this.#notifyAfterMs = notifyAfterMs;
  }

  /** Call when there may be work. */
  add(): void {
    if (!this.#isPolling) return this.#notify();
    this.#waitsSinceMs ??= performance.now();
    if (!this.#isCheckScheduled) this.#scheduleCheck(this.#notifyAfterMs);
  }

  /** Call before a poll. `isPartial`: it may leave work that another node can do. */
  beginPoll(isPartial = false): void {
    const hadWork = this.#waitsSinceMs !== null;
    this.#waitsSinceMs = null;
    if (hadWork && isPartial) this.#notify();
  }

  /** Runs the loop that polls. Without one, other nodes are notified at once. */
  async during(loop: () => Promise<void>): Promise<void> {
    this.#isPolling = true;
    try {
      await loop();
    } finally {
      this.#isPolling = false;
      this.beginPoll(true);
    }
  }

  #check(): void {
    this.#isCheckScheduled = false;
    if (this.#waitsSinceMs === null) return;
    const restMs = this.#waitsSinceMs + this.#notifyAfterMs - performance.now();
    if (restMs <= 0) this.beginPoll(true);
    else this.#scheduleCheck(restMs);
  }

  #scheduleCheck(afterMs: number): void {
    this.#isCheckScheduled = true;
    setTimeout(() => this.#check(), afterMs).unref();
  }
}
