import type { DeliveryCapacity } from "../sql/claim-due-deliveries.ts";
import { EndpointQueue } from "./endpoint-queue.ts";
import type { HeldDelivery } from "./held-delivery.ts";

export interface DispatchLimits {
  /** Requests in flight, over all endpoints. */
  readonly concurrency: number;
  /** Requests in flight to one endpoint. */
  readonly endpointConcurrency: number;
}

/** The maximum share of held deliveries and of requests in flight that one user may use. */
const USER_SHARE = 0.5;
/** The maximum share of requests in flight for all suspect endpoints together. */
const SUSPECT_SHARE = 0.5;
const HELD_PER_REQUEST = 4;
const INSERT_SHARE = 1 / 4;
const LARGE_BATCH = 64;
const MAX_IDLE_QUEUES = 10_000;

/**
 * Decides which held delivery is sent next, within the limits of each endpoint, of each user and of the process.
 *
 * A queue with waiting deliveries is ready, blocked by a limit that it shares with others, or has as many requests in flight as its
 * endpoint may have. The end of a request makes ready what it may have blocked.
 */
export class EndpointQueues {
  readonly #limits: DispatchLimits;
  readonly #queues = new Map<string, EndpointQueue>();
  readonly #ready = new Set<EndpointQueue>();
  /** Queues that only a limit shared with other queues keeps from sending. */
  readonly #blockedByUser = new Map<string, Set<EndpointQueue>>();
  readonly #blockedSuspects = new Set<EndpointQueue>();
  readonly #heldByUser = new Map<string, number>();
  readonly #sendingByUser = new Map<string, number>();
  readonly #held = new Set<HeldDelivery>();
  #sending = 0;
  #suspectSending = 0;

  constructor(limits: DispatchLimits) {
    this.#limits = limits;
  }

  get heldCount(): number {
    return this.#held.size;
  }

  get sendingCount(): number {
    return this.#sending;
  }

  held(): readonly HeldDelivery[] {
    return [...this.#held];
  }

  get capacity(): number {
    return this.#limits.concurrency * HELD_PER_REQUEST;
  }

  get freeCapacity(): number {
    return this.capacity - this.#held.size;
  }

  /** Capacity for a claim of due deliveries. */
  findCapacity(): DeliveryCapacity {
    const { endpointConcurrency } = this.#limits;
    const capacityByWebhook = new Map<string, number>();
    for (const queue of this.#queues.values()) {
      const isDefault = queue.held === 0 && queue.window === endpointConcurrency;
      if (!isDefault) capacityByWebhook.set(queue.webhookId, queue.capacity);
    }
    return { endpointCapacity: endpointConcurrency, capacityByWebhook };
  }

  /** For a claim on insert: a share of the free capacity per endpoint, so that some always remains for the next one. */
  findInsertCapacity(freeCapacity: number, nowMs: number): DeliveryCapacity {
    const endpointCapacity = Math.floor(freeCapacity * INSERT_SHARE);
    const capacityByWebhook = new Map<string, number>();
    for (const queue of this.#queues.values()) {
      if (queue.isSuspect) capacityByWebhook.set(queue.webhookId, Math.max(0, 1 - queue.held));
      else if (queue.held > 0 || queue.isFast) {
        const window = queue.findWindow(nowMs);
        // For a fast endpoint, deliveries that only wait to be recorded do not count.
        const capacity = window > endpointCapacity ? window - queue.unanswered : endpointCapacity - queue.held;
        capacityByWebhook.set(queue.webhookId, Math.max(0, capacity));
      }
    }
    return { endpointCapacity, capacityByWebhook };
  }

  /** Whether a queue has a large backlog, here or in the database, and drains fast. */
  isCatchingUp(nowMs: number): boolean {
    for (const queue of this.#queues.values()) {
      const hasBacklog = queue.isFast ? queue.hasMore || queue.capacity === 0 : queue.unanswered > LARGE_BATCH;
      if (hasBacklog && queue.isDrainingFast(nowMs)) return true;
    }
    return false;
  }

  hasQueueToRefill(): boolean {
    if (this.freeCapacity <= 0) return false;
    for (const queue of this.#queues.values()) if (isRefillable(queue)) return true;
    return false;
  }

  fullUserIds(): string[] {
    const share = this.capacity * USER_SHARE;
    return [...this.#heldByUser].filter(([, held]) => held >= share).map(([userId]) => userId);
  }

  /** Adds the result of a claim that was made with this capacity. */
  add(
    deliveries: readonly HeldDelivery[],
    { endpointCapacity, capacityByWebhook }: DeliveryCapacity,
    nowMs: number,
  ): void {
    const added = this.#hold(deliveries);
    for (const [queue, rows] of added) {
      queue.hasMore = rows >= (capacityByWebhook.get(queue.webhookId) ?? endpointCapacity);
      queue.adaptWindow(nowMs);
    }
    for (const [webhookId, capacity] of capacityByWebhook) {
      const queue = this.#queues.get(webhookId);
      if (capacity > 0 && queue !== undefined && !added.has(queue)) queue.hasMore = false;
    }
  }

  /** Adds deliveries that were claimed on insert. `isComplete` is false when the same statement left deliveries unclaimed. */
  addInserted(
    deliveries: readonly HeldDelivery[],
    { endpointCapacity, capacityByWebhook }: DeliveryCapacity,
    isComplete: boolean,
    nowMs: number,
  ): void {
    const added = this.#hold(deliveries);
    for (const queue of added.keys()) queue.adaptWindow(nowMs);
    if (isComplete) return;
    for (const [queue, rows] of added)
      if (rows >= (capacityByWebhook.get(queue.webhookId) ?? endpointCapacity)) queue.hasMore = true;
    for (const [webhookId, capacity] of capacityByWebhook) {
      const queue = this.#queues.get(webhookId);
      if (capacity === 0 && queue !== undefined) queue.hasMore = true;
    }
  }

  /** The next delivery to send, round-robin over the queues; null when no queue may send now. */
  takeNext(): HeldDelivery | null {
    if (this.#sending >= this.#limits.concurrency) return null;
    for (const queue of this.#ready) {
      this.#ready.delete(queue);
      const held = this.#maySend(queue) ? queue.waiting.shift() : undefined;
      if (held === undefined) continue;
      if (queue.waiting.length > 0) this.#ready.add(queue);
      held.state = "sending";
      queue.sending += 1;
      this.#sending += 1;
      if (queue.isSuspect) this.#suspectSending += 1;
      count(this.#sendingByUser, queue.userId, 1);
      return held;
    }
    return null;
  }

  /** The delivery stays held until it is recorded. `wasAnswered` is null after a cancel. Returns whether the queue is worth a claim. */
  endSending(held: HeldDelivery, wasAnswered: boolean | null): boolean {
    if (held.state !== "sending") throw new Error(`the delivery ${held.id} ends its sending while ${held.state}`);
    const queue = this.#queueOf(held);
    const wasSuspect = queue.isSuspect;
    queue.sending -= 1;
    this.#sending -= 1;
    if (wasSuspect) this.#suspectSending -= 1;
    count(this.#sendingByUser, queue.userId, -1);
    held.state = wasAnswered === null ? "parked" : "recording";
    if (wasAnswered !== null) {
      queue.faults = wasAnswered ? 0 : queue.faults + 1;
      queue.recording += 1;
    }
    if (wasSuspect !== queue.isSuspect) {
      this.#suspectSending += queue.isSuspect ? queue.sending : -queue.sending;
      queue.window = queue.minWindow;
    }

    if (queue.waiting.length > 0) this.#ready.add(queue);
    for (const blocked of this.#blockedByUser.get(queue.userId) ?? []) this.#ready.add(blocked);
    this.#blockedByUser.delete(queue.userId);
    for (const blocked of this.#blockedSuspects) this.#ready.add(blocked);
    this.#blockedSuspects.clear();
    return isRefillable(queue);
  }

  /** Returns whether the queue is worth a claim. */
  remove(held: HeldDelivery): boolean {
    if (held.state === "sending") throw new Error(`the delivery ${held.id} is removed while it is sent`);
    if (!this.#held.delete(held)) return false;
    const queue = this.#queueOf(held);
    if (held.state === "recording") {
      queue.drained += 1;
      queue.recording -= 1;
    }
    const index = held.state === "waiting" ? queue.waiting.indexOf(held) : -1;
    if (index >= 0) queue.waiting.splice(index, 1);
    held.state = "dropped";
    queue.held -= 1;
    count(this.#heldByUser, queue.userId, -1);
    // An empty queue stays while its endpoint fails or is fast, so that it does not start from the default each time.
    const isDefault = queue.faults === 0 && !queue.hasMore && queue.window === this.#limits.endpointConcurrency;
    if (queue.held === 0 && (isDefault || this.#queues.size > MAX_IDLE_QUEUES)) this.#queues.delete(queue.webhookId);
    return isRefillable(queue);
  }

  /** Takes the waiting deliveries of one queue or of all out of sending. They stay held until they are released. */
  park(webhookId?: string): HeldDelivery[] {
    const queues = webhookId === undefined ? [...this.#queues.values()] : [this.#queues.get(webhookId)];
    const parked = queues.flatMap((queue) => queue?.waiting.splice(0) ?? []);
    for (const held of parked) held.state = "parked";
    return parked;
  }

  /** Returns the number of deliveries added to each queue. */
  #hold(deliveries: readonly HeldDelivery[]): Map<EndpointQueue, number> {
    const added = new Map<EndpointQueue, number>();
    for (const held of deliveries) {
      const queue = this.#queueOf(held);
      added.set(queue, (added.get(queue) ?? 0) + 1);
      queue.waiting.push(held);
      queue.held += 1;
      count(this.#heldByUser, queue.userId, 1);
      this.#held.add(held);
      this.#ready.add(queue);
    }
    return added;
  }

  #maySend(queue: EndpointQueue): boolean {
    const { concurrency, endpointConcurrency } = this.#limits;
    if (queue.sending >= (queue.isSuspect ? 1 : endpointConcurrency)) return false;
    if (queue.isSuspect && this.#suspectSending >= Math.max(1, concurrency * SUSPECT_SHARE)) {
      this.#blockedSuspects.add(queue);
      return false;
    }
    if ((this.#sendingByUser.get(queue.userId) ?? 0) < Math.max(1, concurrency * USER_SHARE)) return true;
    const blocked = this.#blockedByUser.get(queue.userId);
    if (blocked === undefined) this.#blockedByUser.set(queue.userId, new Set([queue]));
    else blocked.add(queue);
    return false;
  }

  #queueOf({ webhookId, userId }: HeldDelivery): EndpointQueue {
    let queue = this.#queues.get(webhookId);
    if (queue === undefined) {
      queue = new EndpointQueue(webhookId, userId, this.#limits.endpointConcurrency);
      this.#queues.set(webhookId, queue);
    }
    return queue;
  }
}

function isRefillable({ hasMore, capacity }: EndpointQueue): boolean {
  return hasMore && capacity > 0;
}

function count(counts: Map<string, number>, key: string, change: number): void {
  const next = (counts.get(key) ?? 0) + change;
  if (next > 0) counts.set(key, next);
  else counts.delete(key);
}
