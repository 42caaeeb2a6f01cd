const PERIOD_MS = 30_000;
const MIN_BYTES_PER_SECOND = 16 * 1024;
const MIN_BYTES = (MIN_BYTES_PER_SECOND * PERIOD_MS) / 1000;

/** How long a reader may take for this many bytes. */
export function readTimeoutMs(bytes: number): number {
  return PERIOD_MS + (bytes * 1000) / MIN_BYTES_PER_SECOND;
}

/** Measures how fast a reader accepts bytes, in periods in which some wait for it all the time. */
export class ReaderPace {
  #startedMs: number | null = null;
  #bytes = 0;

  /** Nothing waits: the reader is as fast as the producer. */
  reset(): void {
    this.#startedMs = null;
  }

  add(bytes: number): void {
    this.#bytes += bytes;
  }

  /** The time until the end of the period. A period begins where none has begun. */
  remainingMs(): number {
    if (this.#startedMs === null) this.#start();
    return Math.max(0, (this.#startedMs ?? 0) + PERIOD_MS - Date.now());
  }

  /** At the end of a period: begins the next one unless the reader was too slow. */
  isTooSlow(): boolean {
    if (this.#bytes < MIN_BYTES) return true;
    this.#start();
    return false;
  }

  #start(): void {
    this.#startedMs = Date.now();
    this.#bytes = 0;
  }
}
