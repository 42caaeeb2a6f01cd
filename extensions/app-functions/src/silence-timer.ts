/** Limits each wait for the other end. Time in which nothing is awaited does not count: a slow reader is no silence. */
export class SilenceTimer {
  readonly #limitMs: number;
  readonly #over = new AbortController();

  constructor(limitMs: number) {
    this.#limitMs = limitMs;
  }

  /** Aborted when a wait has taken too long. */
  get signal(): AbortSignal {
    return this.#over.signal;
  }

  get isOver(): boolean {
    return this.#over.signal.aborted;
  }

  async limit<T>(wait: Promise<T>): Promise<T> {
    const timer = setTimeout(() => this.#over.abort(), this.#limitMs);
    try {
      return await wait;
    } finally {
      clearTimeout(timer);
    }
  }
}
