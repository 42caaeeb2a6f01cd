/** Wakes one sleeper. A ring while nobody sleeps is kept, so that no work between looking and sleeping is overlooked. */
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

  /** Resolves after a ring, after the time given, or when the signal is aborted, whichever is first. */
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

/** A fifth more or less, so that nodes which started together do not ask together. */
export function spread(durationMs: number, random: () => number): number {
  return durationMs * (0.8 + 0.4 * random());
}
