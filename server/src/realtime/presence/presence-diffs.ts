import { type PresenceEntry, renderPresences } from "./render-presence.ts";

interface PendingDiff {
  readonly joins: Map<string, PresenceEntry>;
  readonly leaves: Map<string, PresenceEntry>;
  readonly timer: NodeJS.Timeout;
}

export interface PresenceDiffsOptions {
  countOf(topicKey: string): number;
  send(topicKey: string, diffJson: string): void;
}

const MIN_DELAY_MS = 10;
const MAX_DELAY_MS = 1_000;

/** Sends the changes of a topic together. The delay grows with the number of channels that receive each change. */
export class PresenceDiffs {
  readonly #pending = new Map<string, PendingDiff>();
  readonly #options: PresenceDiffsOptions;

  constructor(options: PresenceDiffsOptions) {
    this.#options = options;
  }

  join(entry: PresenceEntry): void {
    this.#diffOf(entry.topicKey).joins.set(entry.ref, entry);
  }

  leave(entry: PresenceEntry): void {
    const { joins, leaves } = this.#diffOf(entry.topicKey);
    // A join that was not sent yet cancels out.
    if (!joins.delete(entry.ref)) leaves.set(entry.ref, entry);
  }

  /** Sends the pending diff now. */
  flush(topicKey: string): void {
    const pending = this.#pending.get(topicKey);
    if (pending === undefined) return;
    clearTimeout(pending.timer);
    this.#pending.delete(topicKey);
    const { joins, leaves } = pending;
    if (joins.size + leaves.size === 0) return;
    const diff = `{"joins":${renderPresences(joins.values())},"leaves":${renderPresences(leaves.values())}}`;
    this.#options.send(topicKey, diff);
  }

  close(): void {
    for (const { timer } of this.#pending.values()) clearTimeout(timer);
    this.#pending.clear();
  }

  #diffOf(topicKey: string): PendingDiff {
    let diff = this.#pending.get(topicKey);
    if (diff === undefined) {
      const delayMs = Math.min(MAX_DELAY_MS, Math.max(MIN_DELAY_MS, this.#options.countOf(topicKey)));
      const timer = setTimeout(() => this.flush(topicKey), delayMs);
      diff = { joins: new Map(), leaves: new Map(), timer };
      this.#pending.set(topicKey, diff);
    }
    return diff;
  }
}
