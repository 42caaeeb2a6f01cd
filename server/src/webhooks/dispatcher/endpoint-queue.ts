import type { HeldDelivery } from "./held-delivery.ts";

const SUSPECT_AFTER_FAULTS = 3;
const MAX_WINDOW = 500;
const FAST_REFILL_MS = 100;
const SLOW_REFILL_MS = 1_000;
const JUST_CLAIMED_MS = 50;

/** The deliveries that this process holds for one endpoint, and the window that bounds their number. */
export class EndpointQueue {
  readonly webhookId: string;
  readonly userId: string;
  readonly waiting: HeldDelivery[] = [];
  sending = 0;
  held = 0;
  /** Held deliveries that the endpoint has answered and that are not recorded yet. */
  recording = 0;
  /** The maximum of deliveries to hold. It grows for an endpoint that answers faster than deliveries are claimed. */
  window: number;
  lastClaimMs = Number.NEGATIVE_INFINITY;
  /** The last claim used the full capacity, so the database has more. */
  hasMore = false;
  /** Deliveries completed since the last claim. */
  drained = 0;
  /** Consecutive attempts without a response. A suspect endpoint gets one request at a time. */
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

  /** The window has grown beyond the number of concurrent requests. */
  get isFast(): boolean {
    return this.window > this.#endpointConcurrency;
  }

  get unanswered(): number {
    return this.held - this.recording;
  }

  /** Rows that a claim may take. 0 while the queue is more than half full, because claims of single rows cost too much. */
  get capacity(): number {
    return this.unanswered * 2 > this.window ? 0 : this.window - this.unanswered;
  }

  get minWindow(): number {
    return this.isSuspect ? 1 : this.#endpointConcurrency;
  }

  /** The window that a claim at this time would result in. */
  findWindow(nowMs: number): number {
    const sinceMs = nowMs - this.lastClaimMs;
    if (sinceMs < FAST_REFILL_MS && this.drained * 2 >= this.window) {
      return Math.min(2 * Math.max(this.window, this.drained), Math.max(MAX_WINDOW, this.minWindow));
    }
    return sinceMs > SLOW_REFILL_MS ? this.minWindow : this.window;
  }

  /** Whether the queue drains within FAST_REFILL_MS at the rate since the last claim. A rate needs JUST_CLAIMED_MS to show. */
  isDrainingFast(nowMs: number): boolean {
    const sinceMs = nowMs - this.lastClaimMs;
    return !this.isSuspect && (sinceMs < JUST_CLAIMED_MS || this.drained * FAST_REFILL_MS >= this.unanswered * sinceMs);
  }

  /** Call after each claim that added deliveries. */
  adaptWindow(nowMs: number): void {
    this.window = this.findWindow(nowMs);
    this.lastClaimMs = nowMs;
    this.drained = 0;
  }
}
