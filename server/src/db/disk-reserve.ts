import { AppError } from "../errors/index.ts";
import { type Commits, poll } from "../jobs/index.ts";
import type { Observer } from "../observe/index.ts";
import type { DiskSpace } from "./storage.ts";

/** Of the free space below which a warning is logged. */
const RESERVE_SHARE = 1 / 16;
/** Writes are accepted again with this much more, so that the first of them do not end it at once. */
const RECOVERED_FACTOR = 1.25;
const INTERVAL_MS = 500;
/** Without commits, only others use space. */
const IDLE_INTERVAL_MS = 10_000;
const RETRY_AFTER_SECONDS = 5;

interface DiskReserveOptions {
  /** As in the settings; 0: there is no reserve. */
  readonly warningBytes: number;
  readonly observer: Observer;
  readonly commits?: Commits;
  readonly intervalMs?: number;
  measure(): Promise<DiskSpace>;
}

/**
 * The last of the space on the disk of the embedded database, which requests may not use. PostgreSQL stops when it cannot write its
 * WAL, and then answers reads neither.
 */
export class DiskReserve {
  readonly #options: DiskReserveOptions;
  #isUsed = false;

  constructor(options: DiskReserveOptions) {
    this.#options = options;
  }

  get isUsed(): boolean {
    return this.#isUsed;
  }

  /** For requests that may write. */
  requireSpace(): void {
    if (!this.#isUsed) return;
    throw new AppError("SERVICE_UNAVAILABLE", "The disk of the database is full. Reading works, writing does not.", {
      retryAfterSeconds: RETRY_AFTER_SECONDS,
    });
  }

  async run(signal: AbortSignal): Promise<void> {
    const { warningBytes, observer, commits, intervalMs = INTERVAL_MS, measure } = this.#options;
    const reserveBytes = warningBytes * RESERVE_SHARE;
    const step = async (): Promise<number> => {
      const { freeBytes } = await measure();
      const isUsed = freeBytes < reserveBytes * (this.#isUsed ? RECOVERED_FACTOR : 1);
      if (isUsed !== this.#isUsed) observer.note(isUsed ? "storage.full" : "storage.writable", { freeBytes });
      this.#isUsed = isUsed;
      return isUsed ? intervalMs : IDLE_INTERVAL_MS;
    };
    const onFailure = (error: unknown): never => {
      throw error;
    };
    await poll(step, { signal, random: Math.random, commits, everyMs: intervalMs, onFailure });
  }
}
