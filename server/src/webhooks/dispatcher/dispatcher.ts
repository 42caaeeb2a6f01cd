import { setTimeout as sleep } from "node:timers/promises";
import { WakeUp, type Worker, type WorkNotice } from "../../jobs/index.ts";
import { concludeAttempt } from "../conclude-attempt.ts";
import { FanOut } from "../fan-out.ts";
import { runSteps } from "../run-steps.ts";
import { sendAttempt } from "../send-attempt.ts";
import { type DeliveryCapacity, type ClaimRequest, claimDueDeliveries } from "../sql/claim-due-deliveries.ts";
import { releaseClaims } from "../sql/leases.ts";
import { refundSends } from "../sql/send-windows.ts";
import { selectNextDueMs } from "../sql/select-backlog-by-class.ts";
import type { WebhookTools } from "../webhook-options.ts";
import { type DispatchLimits, EndpointQueues } from "./endpoint-queues.ts";
import { type EventStep, runEventLoops } from "./run-event-loops.ts";
import { createHold, findRefunds, type HeldDelivery } from "./held-delivery.ts";
import { isLeaseSafe, keepLeases } from "./leases.ts";
import { LostClaims } from "./lost-claims.ts";
import { Recorder } from "./recorder.ts";

interface DispatcherOptions extends DispatchLimits {
  /** Triggered when deliveries may wait for a claim. */
  readonly wakeUp: WakeUp;
  readonly eventWakeUp: WakeUp;
  readonly eventNotice: WorkNotice;
  readonly leaseMs: number;
  /** The longest time between two polls for deliveries while rows change and no wake-up comes. */
  readonly pollMs: number;
  readonly eventPollMs: number;
  /** How long requests in flight may take to finish when the dispatcher stops. */
  readonly stopTimeoutMs: number;
  /** Deliveries of new events wait for a claim. */
  onDeliveries(): void;
  /** Events may be left. */
  onMoreEvents(): void;
}

const MAX_CLAIMED_ENDPOINTS = 64;
const MAX_CLAIMED_ROWS = 500;
const MAX_ROWS_ON_INSERT = 300;
/** An endpoint that becomes slow causes no event, so capacity is polled. */
const CAPACITY_POLL_MS = 20;
const MIN_SLEEP_MS = 20;
const ACTIVE_POLL_MS = 100;
const CANCEL_TIMEOUT_MS = 1_000;
const NAME = "webhook-dispatcher";

type Claimed = "none" | "some" | "more" | "full";

interface PreparedClaim {
  readonly request: ClaimRequest;
  readonly hold: ReturnType<typeof createHold>;
}

export function createDispatcher(tools: WebhookTools, options: DispatcherOptions): Worker {
  return { name: NAME, run: (signal) => new Dispatcher(tools, options).run(signal) };
}

/**
 * Claims deliveries, those of new events when it inserts them and due ones later, sends them within the limits of their queues,
 * and records their outcomes. One instance per run. The states of a delivery are those of `HeldDelivery`.
 *
 * running: two loops claim, with events and when deliveries are due. One claim of due deliveries is in progress at a time.
 * stopping: nothing is claimed or sent any more, and what waits is released. Requests in flight may end, then they are cancelled.
 *
 * A delivery is sent only while its lease has some time left, and its request is cancelled before the lease ends, so no two processes
 * send it at the same time. A crash leaves leases that expire, and what was sent without a recorded outcome is sent again.
 */
class Dispatcher {
  readonly #tools: WebhookTools;
  readonly #options: DispatcherOptions;
  readonly #queues: EndpointQueues;
  readonly #recorder: Recorder;
  readonly #lostClaims: LostClaims;
  readonly #fanOut: FanOut;
  readonly #capacityWakeUps = new Set<WakeUp>();
  /** The loop for due deliveries. full: the last claim found no free capacity, so the next one waits for some. */
  #claiming: "waiting" | "running" | "full" = "waiting";
  /** Resolves when nothing is held. Null means that the dispatcher is running. */
  #stopping: PromiseWithResolvers<void> | null = null;
  /** Capacity that claims on insert may use. Claims of due deliveries ignore it. */
  #reservedCapacity = 0;

  constructor(tools: WebhookTools, options: DispatcherOptions) {
    this.#tools = tools;
    this.#options = options;
    this.#queues = new EndpointQueues(options);
    this.#lostClaims = new LostClaims(tools.pool);
    this.#fanOut = new FanOut(tools);
    this.#recorder = new Recorder(tools, (webhookId) => void this.#release(this.#queues.park(webhookId)));
  }

  async run(signal: AbortSignal): Promise<void> {
    const { wakeUp, eventWakeUp, eventNotice, pollMs, eventPollMs, leaseMs } = this.#options;
    const leases = new AbortController();
    const renewing = keepLeases(this.#tools, this.#queues, leaseMs, leases.signal);
    const fanOut = (maxWaitMs: number): Promise<EventStep> => this.#fanOutEvents(maxWaitMs, signal);
    const events = { ...this.#tools, wakeUp: eventWakeUp, everyMs: eventPollMs, signal };
    const deliveries = { ...this.#tools, name: NAME, wakeUp, everyMs: pollMs, signal };
    try {
      await Promise.all([
        runSteps(() => this.#step(), deliveries).then(() => this.#stop()),
        eventNotice.during(() => runEventLoops(fanOut, events)),
      ]);
    } finally {
      leases.abort();
      await renewing;
    }
  }

  /** Turns events into deliveries, and claims in the same statement those that there is capacity for. */
  async #fanOutEvents(maxWaitMs: number, signal: AbortSignal): Promise<EventStep> {
    const { eventNotice, onDeliveries, onMoreEvents } = this.#options;
    await this.#waitForCapacity(maxWaitMs, signal);
    const claim = this.#prepareInsertClaim();
    const reserved = claim?.request.maxRows ?? 0;
    this.#reservedCapacity += reserved;
    eventNotice.beginPoll();
    const made = await this.#fanOut
      .step(claim?.request ?? null)
      .catch((error: unknown) => {
        if (claim !== null) this.#lostClaims.add(claim.request.claim);
        onMoreEvents();
        throw error;
      })
      .finally(() => {
        this.#reservedCapacity -= reserved;
      });
    const isAllClaimed = made.unclaimed === 0;
    if (claim !== null) {
      this.#queues.addInserted(claim.hold(made.claimed), claim.request, isAllClaimed, performance.now());
      if (this.#stopping !== null) await this.#release(this.#queues.park());
      this.#sendClaimed();
    }
    if (!isAllClaimed || made.hasResumptions) onDeliveries();
    if (made.hasMore) onMoreEvents();
    return { wasEmpty: made.events === 0, hasMore: made.hasMore, isAllClaimed };
  }

  #prepareInsertClaim(): PreparedClaim | null {
    const capacity = this.#queues.freeCapacity - this.#reservedCapacity;
    if (!this.#fanOut.isDueAtOnce || this.#stopping !== null || capacity <= 0) return null;
    return this.#prepareClaim(
      this.#queues.findInsertCapacity(capacity, performance.now()),
      Math.min(capacity, MAX_ROWS_ON_INSERT),
    );
  }

  /** Resolves when half of the capacity is free, or after the timeout. */
  async #waitForCapacity(timeoutMs: number, signal: AbortSignal): Promise<void> {
    const deadline = performance.now() + timeoutMs;
    const wakeUp = new WakeUp();
    this.#capacityWakeUps.add(wakeUp);
    while (!this.#hasAmpleCapacity() && this.#stopping === null && !signal.aborted && performance.now() < deadline)
      await wakeUp.sleep(Math.min(deadline - performance.now(), CAPACITY_POLL_MS), signal);
    this.#capacityWakeUps.delete(wakeUp);
  }

  /** Returns how long to sleep. */
  async #step(): Promise<number> {
    this.#claiming = "running";
    let claimed: Claimed = "none";
    try {
      claimed = await this.#claim();
    } finally {
      this.#claiming = claimed === "full" ? "full" : "waiting";
    }
    if (claimed === "more" || this.#queues.hasQueueToRefill()) return 0;
    // After a claim with rows more may follow soon; only an empty one is worth a query for the next due time.
    return claimed === "some" ? ACTIVE_POLL_MS : this.#findSleepMs();
  }

  #prepareClaim(capacity: DeliveryCapacity, maxRows: number): PreparedClaim {
    const { leaseMs } = this.#options;
    const claim = this.#tools.newClaim();
    const request: ClaimRequest = {
      ...capacity,
      claim,
      leaseMs,
      maxRows,
      fullUserIds: this.#queues.fullUserIds(),
      sendLimit: this.#tools.sendLimit,
    };
    return { request, hold: createHold(claim, leaseMs) };
  }

  async #claim(): Promise<Claimed> {
    await this.#lostClaims.release();
    const capacity = this.#queues.freeCapacity;
    if (capacity <= 0) return "full";
    const { request, hold } = this.#prepareClaim(this.#queues.findCapacity(), Math.min(capacity, MAX_CLAIMED_ROWS));
    const maxEndpoints = Math.min(MAX_CLAIMED_ENDPOINTS, Math.ceil(request.maxRows / request.endpointCapacity));
    const claimed = await claimDueDeliveries(this.#tools.pool, request, maxEndpoints).catch((error: unknown) => {
      this.#lostClaims.add(request.claim);
      throw error;
    });
    const held = hold(claimed);
    this.#queues.add(held, request, performance.now());
    if (held.length === 0) return "none";
    this.#sendClaimed();
    const endpoints = new Set(held.map(({ webhookId }) => webhookId)).size;
    return held.length >= request.maxRows || endpoints >= maxEndpoints ? "more" : "some";
  }

  /** The time until the next endpoint is due. */
  async #findSleepMs(): Promise<number> {
    if (this.#options.wakeUp.isTriggered) return MIN_SLEEP_MS;
    if (this.#claiming === "full") return this.#options.pollMs;
    const { capacityByWebhook } = this.#queues.findCapacity();
    const excludedIds = [...capacityByWebhook].filter(([, capacity]) => capacity === 0).map(([webhookId]) => webhookId);
    const nextDueMs = await selectNextDueMs(this.#tools.pool, excludedIds);
    return Math.max(nextDueMs ?? Number.POSITIVE_INFINITY, MIN_SLEEP_MS);
  }

  #sendClaimed(): void {
    if (this.#stopping !== null) return;
    for (let held = this.#queues.takeNext(); held !== null; held = this.#queues.takeNext()) void this.#send(held);
  }

  async #send(held: HeldDelivery): Promise<void> {
    const { webhookId, claim, cancel } = held;
    const { clock, observer, outbound, traceSource = null } = this.#tools;
    const { signal } = cancel;
    if (signal.aborted || !isLeaseSafe(held, this.#options.leaseMs)) return this.#abandon(held);
    // The send window has ended, so this delivery and those behind it must be claimed and counted again.
    if (performance.now() >= held.sendUntilMs) return this.#abandon(held, this.#queues.park(webhookId));
    held.isSent = true;
    const result = await sendAttempt(held, { outbound, clock, signal, traceSource });
    if (result === null) return this.#abandon(held);

    const record = concludeAttempt(this.#tools, held, claim, result);
    observer.note("webhook.attempted", { outcome: record.status, durationMs: result.durationMs });
    this.#wakeIfClaimable(this.#queues.endSending(held, result.kind === "answered"));
    // Parked deliveries are released after the pause is recorded; released earlier, they would be claimed again at once.
    const stopsEndpoint = record.pauseMs !== null || record.shouldDisable;
    const parked = stopsEndpoint ? this.#queues.park(webhookId) : [];
    this.#recorder.add({
      record,
      isLeased: () => isLeaseSafe(held, this.#options.leaseMs),
      onSettled: () => {
        this.#remove(held);
        if (parked.length > 0) void this.#release(parked);
      },
    });
    this.#sendClaimed();
    // Outcomes that could share the statement come only from requests in flight.
    if (this.#queues.sendingCount === 0) this.#recorder.flush();
  }

  #wakeIfClaimable(isQueueRefillable: boolean): void {
    const isCapacityBack = this.#claiming === "full" && this.#queues.freeCapacity * 16 >= this.#queues.capacity;
    // A running claim checks for refillable queues itself when it ends.
    if (this.#claiming !== "running" && (isQueueRefillable || isCapacityBack)) this.#options.wakeUp.trigger();
  }

  #hasAmpleCapacity(): boolean {
    const capacity = this.#queues.freeCapacity - this.#reservedCapacity;
    return capacity * 2 >= this.#queues.capacity && !this.#queues.isCatchingUp(performance.now());
  }

  /** Releases a delivery whose attempt has no outcome. It may have been sent; the next claim sends it again. */
  async #abandon(held: HeldDelivery, others: readonly HeldDelivery[] = []): Promise<void> {
    this.#queues.endSending(held, null);
    await this.#release([held, ...others]);
    this.#sendClaimed();
  }

  #remove(held: HeldDelivery): void {
    const isQueueRefillable = this.#queues.remove(held);
    if (this.#queues.heldCount === 0) this.#stopping?.resolve();
    if (this.#capacityWakeUps.size > 0 && this.#hasAmpleCapacity())
      for (const wakeUp of this.#capacityWakeUps) wakeUp.trigger();
    this.#wakeIfClaimable(isQueueRefillable);
  }

  async #release(released: readonly HeldDelivery[]): Promise<void> {
    if (released.length === 0) return;
    const { pool, observer } = this.#tools;
    for (const held of released) held.state = "parked";
    const refunds = findRefunds(released);
    // When this fails, the leases expire.
    await releaseClaims(pool, released)
      .then(() => (refunds.length === 0 ? undefined : refundSends(pool, refunds)))
      .catch((error: unknown) => observer.note("webhook.release_failed", { deliveries: released.length, error }));
    for (const held of released) this.#remove(held);
  }

  async #stop(): Promise<void> {
    this.#stopping = Promise.withResolvers<void>();
    const { promise: idle, resolve } = this.#stopping;
    await this.#release(this.#queues.park());
    if (this.#queues.heldCount === 0) resolve();
    const timers = new AbortController();
    const wait = (ms: number): Promise<void> => sleep(ms, undefined, { signal: timers.signal }).catch(() => {});
    await Promise.race([idle, wait(this.#options.stopTimeoutMs)]);
    for (const { cancel } of this.#queues.held()) cancel.abort();
    await Promise.race([idle, wait(CANCEL_TIMEOUT_MS)]);
    timers.abort();
  }
}
