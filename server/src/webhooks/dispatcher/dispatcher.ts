import { randomUUID } from "node:crypto";
import { setMaxListeners } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { WakeUp, type Worker, spread } from "../../jobs/index.ts";
import { describeAttempt } from "../describe-attempt.ts";
import { decideOutcome } from "../outcome.ts";
import { runSteps } from "../run-steps.ts";
import { sendAttempt } from "../send-attempt.ts";
import { type ClaimRequest, claimDueDeliveries } from "../sql/claim-due-deliveries.ts";
import type { ClaimedDelivery } from "../sql/delivery-row.ts";
import { releaseClaims } from "../sql/release-claims.ts";
import { refundSends } from "../sql/send-windows.ts";
import { selectNextDueMs } from "../sql/select-next-due.ts";
import type { WebhookTools } from "../webhook-options.ts";
import { findRefunds } from "./find-refunds.ts";
import type { ClaimedBatch, HeldDelivery } from "./held-delivery.ts";
import type { Intake, Offer } from "./intake.ts";
import { type LaneLimits, type LaneShares, Lanes } from "./lanes.ts";
import { isLeaseSafe, keepLeases } from "./leases.ts";
import { LostClaims } from "./lost-claims.ts";
import { Recorder } from "./recorder.ts";

export interface DispatcherOptions extends LaneLimits {
  readonly wakeUp: WakeUp;
  readonly leaseMs: number;
  /** Backstop for what nobody was woken for. */
  readonly pollMs: number;
  /** What requests in flight get to finish when the dispatcher stops. */
  readonly stopTimeoutMs: number;
}

const MAX_CLAIMED_LANES = 64;
const MAX_CLAIMED_ROWS = 500;
const MAX_FRESH_ROWS = 300;
/** That a lane is slow shows by nothing happening. */
const LOOK_FOR_ROOM_MS = 20;
const MIN_SLEEP_MS = 20;
const ACTIVE_POLL_MS = 100;
const NAME = "webhook-dispatcher";

export function createDispatcher(
  tools: WebhookTools,
  options: DispatcherOptions,
): { readonly worker: Worker; readonly intake: Intake } {
  let running: Dispatcher | null = null;
  const run = async (signal: AbortSignal): Promise<void> => {
    running = new Dispatcher(tools, options);
    await running.run(signal).finally(() => {
      running = null;
    });
  };
  return {
    worker: { name: NAME, run },
    intake: {
      offer: () => running?.offer() ?? null,
      waitForRoom: async (timeoutMs, signal) => running?.waitForRoom(timeoutMs, signal),
    },
  };
}

/** Claims due deliveries, sends them within the bounds of their lanes, has their outcomes recorded. One run, one object. */
class Dispatcher {
  readonly #tools: WebhookTools;
  readonly #options: DispatcherOptions;
  readonly #lanes: Lanes;
  readonly #recorder: Recorder;
  readonly #batches = new Map<ClaimedBatch, number>();
  #isStopping = false;
  #isClaiming = false;
  /** There was no room at all when it was last looked for. */
  #isFull = false;
  /** What offers under way may come to fill; claims do not wait for it. */
  #offeredRoom = 0;
  /** Of those who wait for room. */
  readonly #capacityWakeUps = new Set<WakeUp>();
  readonly #lostClaims: LostClaims;
  #onIdle: (() => void) | null = null;

  constructor(tools: WebhookTools, options: DispatcherOptions) {
    this.#tools = tools;
    this.#options = options;
    this.#lanes = new Lanes(options);
    this.#lostClaims = new LostClaims(tools.pool);
    this.#recorder = new Recorder(tools, (webhookId) => void this.#release(this.#lanes.setAside(webhookId)));
  }

  async run(signal: AbortSignal): Promise<void> {
    const leases = new AbortController();
    const renewing = keepLeases(this.#tools, this.#lanes, this.#options.leaseMs, leases.signal);
    try {
      await runSteps(() => this.#step(), {
        ...this.#tools,
        name: NAME,
        wakeUp: this.#options.wakeUp,
        signal,
      });
    } finally {
      await this.#stop();
      leases.abort();
      await renewing;
    }
  }

  /** Answers how long to sleep. */
  async #step(): Promise<number> {
    this.#isClaiming = true;
    const claimed = await this.#claim().finally(() => {
      this.#isClaiming = false;
    });
    if (claimed === "more" || this.#lanes.hasLaneToRefill()) return 0;
    // Where there was something there may soon be more; only an empty hand is worth a question about the future.
    return claimed === "some" ? ACTIVE_POLL_MS : this.#findSleepMs();
  }

  offer(): Offer | null {
    const room = this.#lanes.freeRoom() - this.#offeredRoom;
    if (this.#isStopping || room <= 0) return null;
    const { request, hold } = this.#prepareClaim(
      this.#lanes.freshShares(room, performance.now()),
      Math.min(room, MAX_FRESH_ROWS),
    );
    this.#offeredRoom += request.maxRows;
    const accept = async (claimed: readonly ClaimedDelivery[], isAll: boolean): Promise<void> => {
      this.#offeredRoom -= request.maxRows;
      this.#lanes.addFresh(hold(claimed), request, isAll, performance.now());
      if (this.#isStopping) await this.#release(this.#lanes.setAside());
      this.#pump();
    };
    const lose = (): void => {
      this.#offeredRoom -= request.maxRows;
      this.#lostClaims.add(request.claim);
    };
    return { request, accept, lose };
  }

  async waitForRoom(timeoutMs: number, signal: AbortSignal): Promise<void> {
    const deadline = performance.now() + timeoutMs;
    const wakeUp = new WakeUp();
    this.#capacityWakeUps.add(wakeUp);
    while (!this.#isRoomy() && !this.#isStopping && !signal.aborted && performance.now() < deadline)
      await wakeUp.sleep(Math.min(deadline - performance.now(), LOOK_FOR_ROOM_MS), signal);
    this.#capacityWakeUps.delete(wakeUp);
  }

  /** The lease, and what is left of a window, count from now, before anybody is asked for them. */
  #prepareClaim(
    { laneShare, laneRoom }: LaneShares,
    room: number,
  ): {
    request: ClaimRequest;
    hold(claimed: readonly ClaimedDelivery[]): HeldDelivery[];
  } {
    const { leaseMs } = this.#options;
    const batch: ClaimedBatch = { claim: randomUUID(), broken: new AbortController() };
    setMaxListeners(0, batch.broken.signal);
    const askedAtMs = performance.now();
    const maxRows = Math.min(room, MAX_CLAIMED_ROWS);
    const fullUserIds = this.#lanes.fullUsers();
    const hold = (claimed: readonly ClaimedDelivery[]): HeldDelivery[] => {
      if (claimed.length > 0) this.#batches.set(batch, claimed.length);
      return claimed.map((one): HeldDelivery => {
        const sendUntilMs = askedAtMs + (one.sendWindow?.leftMs ?? Number.POSITIVE_INFINITY);
        return { ...one, batch, sendUntilMs, leasedUntilMs: askedAtMs + leaseMs, isSent: false, state: "waiting" };
      });
    };
    const { sendLimit } = this.#tools;
    return { request: { claim: batch.claim, leaseMs, maxRows, laneShare, laneRoom, fullUserIds, sendLimit }, hold };
  }

  async #claim(): Promise<"none" | "some" | "more"> {
    await this.#lostClaims.release();
    const room = this.#lanes.freeRoom();
    this.#isFull = room <= 0;
    if (this.#isFull) return "none";
    const laneShares = { laneShare: this.#options.endpointConcurrency, laneRoom: this.#lanes.roomByLane() };
    const { request, hold } = this.#prepareClaim(laneShares, room);
    const { maxRows, laneRoom, laneShare } = request;
    const maxLanes = Math.min(MAX_CLAIMED_LANES, Math.ceil(maxRows / laneShare));
    const claimed = await claimDueDeliveries(this.#tools.pool, request, maxLanes).catch((error: unknown) => {
      this.#lostClaims.add(request.claim);
      throw error;
    });
    const held = hold(claimed);
    this.#lanes.add(held, laneRoom, performance.now());
    if (held.length === 0) return "none";
    this.#pump();
    const lanes = new Set(held.map(({ delivery }) => delivery.webhookId)).size;
    return held.length >= maxRows || lanes >= maxLanes ? "more" : "some";
  }

  /** Until the next lane is due, or until it is time to look anyway. */
  async #findSleepMs(): Promise<number> {
    const { wakeUp, pollMs } = this.#options;
    if (wakeUp.isTriggered) return MIN_SLEEP_MS;
    const passedBy = [...this.#lanes.roomByLane()].filter(([, room]) => room === 0).map(([webhookId]) => webhookId);
    const nextDueMs = this.#isFull ? null : await selectNextDueMs(this.#tools.pool, passedBy);
    const atMostMs = spread(pollMs, this.#tools.random);
    return Math.min(Math.max(nextDueMs ?? atMostMs, MIN_SLEEP_MS), atMostMs);
  }

  #pump(): void {
    if (this.#isStopping) return;
    for (let held = this.#lanes.takeNext(); held !== null; held = this.#lanes.takeNext()) void this.#send(held);
  }

  async #send(held: HeldDelivery): Promise<void> {
    const { delivery, batch } = held;
    const { schedule, clock, random, observer, outbound } = this.#tools;
    const signal = batch.broken.signal;
    if (signal.aborted || !isLeaseSafe(held, this.#options.leaseMs)) return this.#breakOff(held);
    // The window in which it was counted has ended. It and all that waits behind it must be claimed and counted again.
    if (performance.now() >= held.sendUntilMs) return this.#breakOff(held, this.#lanes.setAside(delivery.webhookId));
    held.isSent = true;
    const result = await sendAttempt(delivery, { outbound, clock, signal });
    if (result === null) return this.#breakOff(held);

    const outcome = decideOutcome({
      result,
      attempt: delivery.attempts - delivery.attemptsBefore + 1,
      maxRetries: delivery.cause === "test" || delivery.cause === "manual" ? 0 : delivery.maxRetries,
      schedule,
      now: clock.now(),
      random: random(),
    });
    observer.note("webhook.attempted", { outcome: outcome.status, durationMs: result.durationMs });
    this.#ringIfWorthClaiming(this.#lanes.endSending(held, result.kind === "answered"));
    // Given back only when the pause is on record: before that, they would be claimed again at once.
    const isLaneStopped = outcome.pauseMs !== null || outcome.shouldDisable;
    const aside = isLaneStopped ? this.#lanes.setAside(delivery.webhookId) : [];
    this.#recorder.add({
      record: describeAttempt(delivery, batch.claim, result, outcome),
      isLeased: () => isLeaseSafe(held, this.#options.leaseMs),
      onSettled: () => {
        this.#forget(held);
        if (aside.length > 0) void this.#release(aside);
      },
    });
    this.#pump();
  }

  #ringIfWorthClaiming(hasLaneWithRoom: boolean): void {
    const hasRoomAgain = this.#isFull && this.#lanes.freeRoom() * 16 >= this.#lanes.capacity;
    // A claim under way looks for lanes with room by itself when it is back.
    if (!this.#isClaiming && (hasLaneWithRoom || hasRoomAgain)) this.#options.wakeUp.trigger();
  }

  #isRoomy(): boolean {
    const room = this.#lanes.freeRoom() - this.#offeredRoom;
    return room * 2 >= this.#lanes.capacity && !this.#lanes.isCatchingUp(performance.now());
  }

  /** Sent perhaps, recorded never: the delivery is given back, and made again by whoever claims it next. */
  async #breakOff(held: HeldDelivery, others: readonly HeldDelivery[] = []): Promise<void> {
    this.#lanes.endSending(held, null);
    await this.#release([held, ...others]);
    this.#pump();
  }

  #forget(held: HeldDelivery): void {
    const isWorthClaiming = this.#lanes.remove(held);
    const left = (this.#batches.get(held.batch) ?? 0) - 1;
    if (left > 0) this.#batches.set(held.batch, left);
    else this.#batches.delete(held.batch);
    if (this.#lanes.heldCount === 0) this.#onIdle?.();
    if (this.#capacityWakeUps.size > 0 && this.#isRoomy()) for (const wakeUp of this.#capacityWakeUps) wakeUp.trigger();
    this.#ringIfWorthClaiming(isWorthClaiming);
  }

  async #release(released: readonly HeldDelivery[]): Promise<void> {
    if (released.length === 0) return;
    const claims = released.map(({ delivery, batch, runAt }) => ({
      deliveryId: delivery.id,
      claim: batch.claim,
      runAt,
    }));
    for (const held of released) held.state = "aside";
    // When this fails too, the leases run out.
    const { pool, observer } = this.#tools;
    const refunds = findRefunds(released);
    await releaseClaims(pool, claims)
      .then(() => (refunds.length === 0 ? undefined : refundSends(pool, refunds)))
      .catch((error: unknown) => observer.note("webhook.release_failed", { deliveries: claims.length, error }));
    for (const held of released) this.#forget(held);
  }

  async #stop(): Promise<void> {
    this.#isStopping = true;
    await this.#release(this.#lanes.setAside());
    const patience = new AbortController();
    const idle = new Promise<void>((resolve) => {
      this.#onIdle = resolve;
      if (this.#lanes.heldCount === 0) resolve();
    });
    const late = sleep(this.#options.stopTimeoutMs, undefined, { signal: patience.signal }).catch(() => {});
    await Promise.race([idle, late]);
    for (const batch of this.#batches.keys()) batch.broken.abort();
    await Promise.race([idle, late.then(() => sleep(1_000, undefined, { signal: patience.signal })).catch(() => {})]);
    patience.abort();
  }
}
