import type { Channel } from "../channels/channel.ts";

const MAX_BATCH = 200;

/** Checks channels in batches, one at a time. A channel that waits already is not added again. */
export class RecheckQueue {
  readonly #check: (channels: readonly Channel[]) => Promise<void>;
  readonly #onError: (error: unknown) => void;
  readonly #waiting = new Set<Channel>();
  #isRunning = false;
  /** Only the first of successive errors is reported. */
  #hasFailed = false;

  constructor(check: (channels: readonly Channel[]) => Promise<void>, onError: (error: unknown) => void) {
    this.#check = check;
    this.#onError = onError;
  }

  add(channels: readonly Channel[]): void {
    for (const channel of channels) this.#waiting.add(channel);
    this.start();
  }

  /** Also repeats what has failed. */
  start(): void {
    if (!this.#isRunning && this.#waiting.size > 0) void this.#run();
  }

  async #run(): Promise<void> {
    this.#isRunning = true;
    for (let mustStop = false; this.#waiting.size > 0 && !mustStop; ) {
      const batch = [...this.#waiting].slice(0, MAX_BATCH);
      for (const channel of batch) this.#waiting.delete(channel);
      try {
        await this.#check(batch);
        this.#hasFailed = false;
      } catch (error) {
        mustStop = true;
        for (const channel of batch) this.#waiting.add(channel);
        if (!this.#hasFailed) this.#onError(error);
        this.#hasFailed = true;
      }
    }
    this.#isRunning = false;
  }
}
