import type { PresenceEntry } from "./presence-state.ts";
import { renderDiff } from "./render-presence.ts";

interface PendingDiff {
  readonly joins: Map<string, PresenceEntry>;
  readonly leaves: Map<string, PresenceEntry>;
  readonly timer: NodeJS.Timeout;
}

export interface PresenceDiffsOptions {
  countOf(hubKey: string): number;
  send(hubKey: string, diffJson: string): void;
}

const MIN_DELAY_MS = 10;
const MAX_DELAY_MS = 1_000;

/**
 * Collects the changes of a topic and sends them together. The delay grows with the number of channels, because each change
 * goes to all of them.
 */
export class PresenceDiffs {
  readonly #pending = new Map<string, PendingDiff>();
  readonly #options: PresenceDiffsOptions;

  constructor(options: PresenceDiffsOptions) {
    this.#options = options;
  }

  join(entry: PresenceEntry): void {
    this.#diffOf(entry.hubKey).joins.set(entry.ref, entry);
  }

  leave(entry: PresenceEntry): void {
    const { joins, leaves } = this.#diffOf(entry.hubKey);
    // A join that was not sent yet cancels out.
    if (!joins.delete(entry.ref)) leaves.set(entry.ref, entry);
  }

  /** Sends the pending diff now. */
  flush(hubKey: string): void {
    const diff = this.#pending.get(hubKey);
    if (diff === undefined) return;
    clearTimeout(diff.timer);
    this.#pending.delete(hubKey);
    const { joins, leaves } = diff;
    if (joins.size > 0 || leaves.size > 0) this.#options.send(hubKey, renderDiff(joins.values(), leaves.values()));
  }

  close(): void {
    for (const { timer } of this.#pending.values()) clearTimeout(timer);
    this.#pending.clear();
  }

  #diffOf(hubKey: string): PendingDiff {
    let diff = this.#pending.get(hubKey);
    if (diff === undefined) {
      const delayMs = Math.min(MAX_DELAY_MS, Math.max(MIN_DELAY_MS, this.#options.countOf(hubKey)));
      const timer = setTimeout(() => this.flush(hubKey), delayMs);
      diff = { joins: new Map(), leaves: new Map(), timer };
      this.#pending.set(hubKey, diff);
    }
    return diff;
  }
}
