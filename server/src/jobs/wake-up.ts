/** Wakes one sleeper. A trigger without a sleeper is kept, so that no work between a poll and the next sleep is missed. */
export class WakeUp {
  #isTriggered = false;
  #wakeSleeper: (() => void) | null = null;

  get isTriggered(): boolean {
    return this.#isTriggered;
  }

  trigger(): void {
    this.#isTriggered = true;
    this.#wakeSleeper?.();
  }

  /** Resolves after a trigger, after the timeout, or when the signal aborts. */
  async sleep(timeoutMs: number, signal: AbortSignal): Promise<void> {
    if (!this.#isTriggered && !signal.aborted && timeoutMs > 0) {
      await new Promise<void>((resolve) => {
        const wake = (): void => {
          clearTimeout(timer);
          signal.removeEventListener("abort", wake);
          resolve();
        };
        const timer = setTimeout(wake, timeoutMs);
        signal.addEventListener("abort", wake, { once: true });
        this.#wakeSleeper = wake;
      });
      this.#wakeSleeper = null;
    }
    this.#isTriggered = false;
  }
}

/** Adds jitter of up to a fifth, so that nodes that started together do not poll together. */
export function spread(durationMs: number, random: () => number): number {
  return durationMs * (0.8 + 0.4 * random());
}
