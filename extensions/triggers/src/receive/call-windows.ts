const WINDOW_MS = 60_000;

interface Window {
  readonly endsAtMs: number;
  calls: number;
}

/**
 * The calls of triggers on this node. What is beyond the limit here is beyond that of all nodes, so that a storm of calls does not reach the
 * database, but for the first such call, which the owner is shown.
 */
export class CallWindows {
  readonly #windows = new Map<string, Window>();

  /** Returns null, or the seconds until calls of the trigger are accepted again. */
  take(id: string, maxCalls: number, nowMs: number): number | null {
    const known = this.#windows.get(id);
    const window = known === undefined || known.endsAtMs <= nowMs ? this.#open(id, nowMs + WINDOW_MS, nowMs) : known;
    window.calls += 1;
    return window.calls <= maxCalls + 1 ? null : Math.ceil((window.endsAtMs - nowMs) / 1_000);
  }

  /** All nodes together have reached the limit. */
  close(id: string, seconds: number, nowMs: number): void {
    this.#open(id, nowMs + seconds * 1_000, nowMs).calls = Number.POSITIVE_INFINITY;
  }

  #open(id: string, endsAtMs: number, nowMs: number): Window {
    const opened = { endsAtMs, calls: 0 };
    this.#windows.delete(id);
    this.#windows.set(id, opened);
    // The first ends first, or soon after.
    for (const [other, { endsAtMs: endMs }] of this.#windows) {
      if (endMs > nowMs) break;
      this.#windows.delete(other);
    }
    return opened;
  }
}
