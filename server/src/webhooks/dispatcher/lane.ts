import type { HeldDelivery } from "./held-delivery.ts";

const SUSPECT_AFTER_FAULTS = 3;
const MAX_WINDOW = 500;
const FAST_REFILL_MS = 100;
const SLOW_REFILL_MS = 1_000;
const JUST_NOW_MS = 50;

/** What this process holds for one endpoint, and how much of it at a time is worth holding. */
export class Lane {
  readonly webhookId: string;
  readonly userId: string;
  readonly waiting: HeldDelivery[] = [];
  sending = 0;
  held = 0;
  /** Those of them that the endpoint is through with, and only the database is not. */
  recording = 0;
  /** Deliveries to hold at most: more for an endpoint that is through with them faster than we can claim. */
  window: number;
  /** When it last got some. */
  lastClaimMs = Number.NEGATIVE_INFINITY;
  /** The last claim took all it had room for, so there is more to claim. */
  hasMore = false;
  /** Deliveries done with since then. */
  drained = 0;
  /** Attempts in a row without an answer; such an endpoint is tried one request at a time. */
  faults = 0;
  readonly #endpointConcurrency: number;

  constructor(webhookId: string, userId: string, endpointConcurrency: number) {
    this.webhookId = webhookId;
    this.userId = userId;
    this.window = endpointConcurrency;
    this.#endpointConcurrency = endpointConcurrency;
  }

  get isSuspect(): boolean {
    return this.faults >= SUSPECT_AFTER_FAULTS;
  }

  /** It was seen to be through with more than it may be sent at a time, before more came. */
  get isQuick(): boolean {
    return this.window > this.#endpointConcurrency;
  }

  /** Those that the endpoint is not through with. */
  get open(): number {
    return this.held - this.recording;
  }

  /** For a claim. A lane that is more than half full is passed by: claims of single rows cost too much. */
  get room(): number {
    return this.open * 2 > this.window ? 0 : this.window - this.open;
  }

  get smallestWindow(): number {
    return this.isSuspect ? 1 : this.#endpointConcurrency;
  }

  /** As it would be if more came now. */
  findWindow(nowMs: number): number {
    const sinceMs = nowMs - this.lastClaimMs;
    if (sinceMs < FAST_REFILL_MS && this.drained * 2 >= this.window) {
      const most = Math.max(MAX_WINDOW, this.smallestWindow);
      return Math.min(2 * Math.max(this.window, this.drained), most);
    }
    return sinceMs > SLOW_REFILL_MS ? this.smallestWindow : this.window;
  }

  /** By what it did since it last got some; nothing is known when that was just now. */
  isSoonThrough(nowMs: number): boolean {
    const sinceMs = nowMs - this.lastClaimMs;
    return !this.isSuspect && (sinceMs < JUST_NOW_MS || this.drained * FAST_REFILL_MS >= this.open * sinceMs);
  }

  /** To be called when more has come. */
  adaptWindow(nowMs: number): void {
    this.window = this.findWindow(nowMs);
    this.lastClaimMs = nowMs;
    this.drained = 0;
  }
}
