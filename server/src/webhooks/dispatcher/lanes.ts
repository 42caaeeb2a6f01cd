import type { HeldDelivery } from "./held-delivery.ts";
import { Lane } from "./lane.ts";

export interface LaneLimits {
  /** Requests in flight, over all endpoints. */
  readonly concurrency: number;
  /** Requests in flight to one endpoint. */
  readonly endpointConcurrency: number;
}

export interface LaneShares {
  /** Of a lane that is not among `laneRoom`. */
  readonly laneShare: number;
  readonly laneRoom: ReadonlyMap<string, number>;
}

/** Of all held deliveries and all requests in flight, no user's may be more than this. */
const USER_SHARE = 0.5;
/** Likewise those of endpoints that do not answer, all together. */
const SUSPECT_SHARE = 0.5;
const HELD_PER_REQUEST = 4;
const FRESH_SHARE = 1 / 4;
const LARGE_BATCH = 64;

/** Who may send next: what this process holds, by endpoint, within bounds for each endpoint, each user and all together. */
export class Lanes {
  readonly #limits: LaneLimits;
  readonly #lanes = new Map<string, Lane>();
  readonly #ready = new Set<Lane>();
  /** Lanes that could send but for a bound they share with others, by user, and those of silent endpoints. */
  readonly #blockedByUser = new Map<string, Set<Lane>>();
  readonly #blockedSuspects = new Set<Lane>();
  readonly #heldByUser = new Map<string, number>();
  readonly #sendingByUser = new Map<string, number>();
  readonly #held = new Set<HeldDelivery>();
  #sending = 0;
  #suspectSending = 0;

  constructor(limits: LaneLimits) {
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

  freeRoom(): number {
    return this.capacity - this.#held.size;
  }

  /** Room of the lanes that are in use, for a claim. */
  roomByLane(): Map<string, number> {
    const room = new Map<string, number>();
    for (const lane of this.#lanes.values()) {
      const isPlain = lane.held === 0 && lane.window === this.#limits.endpointConcurrency;
      if (!isPlain) room.set(lane.webhookId, lane.room);
    }
    return room;
  }

  /**
   * What each lane may take of deliveries that are made just now: a share of the room that is left. So one lane alone gets
   * much, many get little each, and however many hold on to theirs, some room remains for the next one.
   */
  freshShares(room: number, nowMs: number): LaneShares {
    const laneShare = Math.floor(room * FRESH_SHARE);
    const laneRoom = new Map<string, number>();
    for (const lane of this.#lanes.values()) {
      if (lane.isSuspect) laneRoom.set(lane.webhookId, Math.max(0, 1 - lane.held));
      else if (lane.held > 0 || lane.isQuick) {
        const window = lane.findWindow(nowMs);
        // An endpoint that is quick need not wait for the database.
        const room = window > laneShare ? window - lane.open : laneShare - lane.held;
        laneRoom.set(lane.webhookId, Math.max(0, room));
      }
    }
    return { laneShare, laneRoom };
  }

  /** Whether a lane has plenty, here or in the database, and is soon through with it. */
  isCatchingUp(nowMs: number): boolean {
    for (const lane of this.#lanes.values()) {
      const hasPlenty = lane.isQuick ? lane.hasMore || lane.room === 0 : lane.open > LARGE_BATCH;
      if (hasPlenty && lane.isSoonThrough(nowMs)) return true;
    }
    return false;
  }

  /** Whether a lane that is known to have more has room for it. */
  hasLaneToRefill(): boolean {
    if (this.freeRoom() <= 0) return false;
    for (const lane of this.#lanes.values()) if (lane.hasMore && lane.room > 0) return true;
    return false;
  }

  fullUsers(): string[] {
    const share = this.capacity * USER_SHARE;
    return [...this.#heldByUser].filter(([, held]) => held >= share).map(([userId]) => userId);
  }

  /** What a claim found; `asked` is the room by lane that it was made with. */
  add(deliveries: readonly HeldDelivery[], asked: ReadonlyMap<string, number>, nowMs: number): void {
    const taken = this.#hold(deliveries);
    for (const [lane, rows] of taken) {
      lane.hasMore = rows >= (asked.get(lane.webhookId) ?? this.#limits.endpointConcurrency);
      lane.adaptWindow(nowMs);
    }
    for (const [webhookId, room] of asked) {
      const lane = this.#lanes.get(webhookId);
      if (room > 0 && lane !== undefined && !taken.has(lane)) lane.hasMore = false;
    }
  }

  /** Deliveries that were claimed as they were made; `isAll` unless others of the same moment were left for a claim. */
  addFresh(
    deliveries: readonly HeldDelivery[],
    { laneShare, laneRoom }: LaneShares,
    isAll: boolean,
    nowMs: number,
  ): void {
    const taken = this.#hold(deliveries);
    for (const lane of taken.keys()) lane.adaptWindow(nowMs);
    if (isAll) return;
    for (const [lane, rows] of taken) if (rows >= (laneRoom.get(lane.webhookId) ?? laneShare)) lane.hasMore = true;
    for (const [webhookId, room] of laneRoom) {
      const lane = this.#lanes.get(webhookId);
      if (room === 0 && lane !== undefined) lane.hasMore = true;
    }
  }

  /** The next delivery to send, lanes in turn; null when nothing may be sent now. */
  takeNext(): HeldDelivery | null {
    if (this.#sending >= this.#limits.concurrency) return null;
    for (const lane of this.#ready) {
      this.#ready.delete(lane);
      const held = this.#maySend(lane) ? lane.waiting.shift() : undefined;
      if (held === undefined) continue;
      if (lane.waiting.length > 0) this.#ready.add(lane);
      held.state = "sending";
      lane.sending += 1;
      this.#sending += 1;
      if (lane.isSuspect) this.#suspectSending += 1;
      count(this.#sendingByUser, lane.userId, 1);
      return held;
    }
    return null;
  }

  /**
   * The request is over; the delivery stays held until it is recorded. Null: it was broken off, which says nothing. Answers
   * whether its lane has room again for a claim that is known to find something.
   */
  endSending(held: HeldDelivery, wasAnswered: boolean | null): boolean {
    const lane = this.#laneOf(held);
    const wasSuspect = lane.isSuspect;
    lane.sending -= 1;
    this.#sending -= 1;
    if (wasSuspect) this.#suspectSending -= 1;
    count(this.#sendingByUser, lane.userId, -1);
    if (wasAnswered !== null) {
      lane.faults = wasAnswered ? 0 : lane.faults + 1;
      held.state = "recording";
      lane.recording += 1;
    }
    if (wasSuspect !== lane.isSuspect) {
      this.#suspectSending += lane.isSuspect ? lane.sending : -lane.sending;
      lane.window = lane.smallestWindow;
    }

    if (lane.waiting.length > 0) this.#ready.add(lane);
    for (const blocked of this.#blockedByUser.get(lane.userId) ?? []) this.#ready.add(blocked);
    this.#blockedByUser.delete(lane.userId);
    for (const blocked of this.#blockedSuspects) this.#ready.add(blocked);
    this.#blockedSuspects.clear();
    return lane.hasMore && lane.room > 0;
  }

  /** Answers whether its lane has room again for a claim that is known to find something. */
  remove(held: HeldDelivery): boolean {
    if (!this.#held.delete(held)) return false;
    const lane = this.#laneOf(held);
    if (held.state === "sending" || held.state === "recording") lane.drained += 1;
    if (held.state === "recording") lane.recording -= 1;
    const place = held.state === "waiting" ? lane.waiting.indexOf(held) : -1;
    if (place >= 0) lane.waiting.splice(place, 1);
    held.state = "dropped";
    lane.held -= 1;
    count(this.#heldByUser, lane.userId, -1);
    // Remembered while it fails or is fast, so that it does not begin anew after every round.
    const isPlain = lane.faults === 0 && !lane.hasMore && lane.window === this.#limits.endpointConcurrency;
    if (lane.held === 0 && (isPlain || this.#lanes.size > MAX_REMEMBERED_LANES)) this.#lanes.delete(lane.webhookId);
    return lane.hasMore && lane.room > 0;
  }

  /** What waits, of one lane or of all, is not to be sent any more. It stays held until it is given back. */
  setAside(webhookId?: string): HeldDelivery[] {
    const lanes = webhookId === undefined ? [...this.#lanes.values()] : [this.#lanes.get(webhookId)];
    const aside = lanes.flatMap((lane) => lane?.waiting.splice(0) ?? []);
    for (const held of aside) held.state = "aside";
    return aside;
  }

  /** Answers how many went to which lane. */
  #hold(deliveries: readonly HeldDelivery[]): Map<Lane, number> {
    const taken = new Map<Lane, number>();
    for (const held of deliveries) {
      const lane = this.#laneOf(held);
      taken.set(lane, (taken.get(lane) ?? 0) + 1);
      lane.waiting.push(held);
      lane.held += 1;
      count(this.#heldByUser, lane.userId, 1);
      this.#held.add(held);
      this.#ready.add(lane);
    }
    return taken;
  }

  #maySend(lane: Lane): boolean {
    const { concurrency, endpointConcurrency } = this.#limits;
    if (lane.sending >= (lane.isSuspect ? 1 : endpointConcurrency)) return false;
    if (lane.isSuspect && this.#suspectSending >= Math.max(1, concurrency * SUSPECT_SHARE)) {
      this.#blockedSuspects.add(lane);
      return false;
    }
    if ((this.#sendingByUser.get(lane.userId) ?? 0) < Math.max(1, concurrency * USER_SHARE)) return true;
    const blocked = this.#blockedByUser.get(lane.userId);
    if (blocked === undefined) this.#blockedByUser.set(lane.userId, new Set([lane]));
    else blocked.add(lane);
    return false;
  }

  #laneOf({ delivery }: HeldDelivery): Lane {
    let lane = this.#lanes.get(delivery.webhookId);
    if (lane === undefined) {
      lane = new Lane(delivery.webhookId, delivery.userId, this.#limits.endpointConcurrency);
      this.#lanes.set(delivery.webhookId, lane);
    }
    return lane;
  }
}

const MAX_REMEMBERED_LANES = 10_000;

function count(counts: Map<string, number>, key: string, change: number): void {
  const next = (counts.get(key) ?? 0) + change;
  if (next > 0) counts.set(key, next);
  else counts.delete(key);
}
