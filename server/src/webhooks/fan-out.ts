import { findScheduledDelayMs } from "./outcome.ts";
import type { ClaimRequest } from "./sql/claim-due-deliveries.ts";
import { type FannedOut, fanOutEvents } from "./sql/fan-out-events.ts";
import type { WebhookTools } from "./webhook-options.ts";

const MAX_EVENTS = 200;
/** One event can have very many deliveries: the number of events adapts so that a step makes about this many. */
const TARGET_DELIVERIES = 5_000;

/** Turns events into deliveries. Several nodes can do so concurrently: each skips events that another has locked. */
export class FanOut {
  readonly #tools: Pick<WebhookTools, "pool" | "schedule" | "traceSource" | "onFeedEvents">;
  readonly #firstDelayMs: number;
  #maxEvents = MAX_EVENTS;

  constructor(tools: Pick<WebhookTools, "pool" | "schedule" | "traceSource" | "onFeedEvents">) {
    this.#tools = tools;
    this.#firstDelayMs = findScheduledDelayMs(tools.schedule, 1);
  }

  /** Whether the first attempt of a delivery is due when it is inserted. */
  get isDueAtOnce(): boolean {
    return this.#firstDelayMs === 0;
  }

  /** Claims nothing without a request. `hasMore`: the step may have left events. */
  async step(request: ClaimRequest | null): Promise<FannedOut & { readonly hasMore: boolean }> {
    const { pool, traceSource = null, onFeedEvents } = this.#tools;
    const limit = this.#maxEvents;
    const made = await fanOutEvents(pool, limit, this.#firstDelayMs, request, traceSource !== null).catch(
      (error: unknown) => {
        // The step may have failed because it was too large.
        this.#maxEvents = Math.ceil(Math.min(limit, this.#maxEvents) / 4);
        throw error;
      },
    );
    if (made.fed > 0) onFeedEvents?.();
    const growth = TARGET_DELIVERIES / Math.max(made.unclaimed + made.claimed.length, 1);
    this.#maxEvents = Math.min(MAX_EVENTS, Math.max(1, Math.floor(limit * Math.min(2, growth))));
    return { ...made, hasMore: made.events >= limit };
  }
}
