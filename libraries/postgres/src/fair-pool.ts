import { FairQueue, type PermitHolder } from "@swarmbase/concurrency";
import pg from "pg";
import { PoolError } from "./pool-error.ts";

export interface FairPoolConfig extends pg.PoolConfig {
  /** The part of the connections that one user may hold, up to 1; it is at least one connection. */
  readonly userShare?: number;
  /** Whoever has this key may hold more than the share of a user, and leaves a quarter of the connections to everything else. */
  readonly largeKey?: string;
  /** How long a statement waits for a lock; 0 is no limit. */
  readonly lockTimeoutMs?: number;
  /** Turns errors about the pool and the server into those of the program; by default they stay as they are. */
  translateError?(error: unknown): unknown;
  /** Called with the connection of a write that the server rejected because it accepts none. */
  onReadOnly?(client: pg.PoolClient): void;
}

export interface ConnectionHolder extends PermitHolder {
  /** Whose share of the pool the connection counts for. */
  readonly key: string;
  /** A read that is not known to be quick. One connection of a user's share is not available to such reads. */
  readonly isLong?: boolean;
}

/** A request for a connection. */
export interface ConnectionRequest extends ConnectionHolder {
  timer?: NodeJS.Timeout | undefined;
  /** Called with the permit for a connection. */
  start(): void;
  fail(error: Error): void;
}

const HOLDER = Symbol("whose share the connection counts for");
const NUMBER = Symbol("the place of the connection in the order of their opening");

// A property and not a WeakMap, which would be changed with each use of a connection.
interface HeldClient extends pg.PoolClient {
  /** Null while a group of reads uses the connection; undefined while nobody does. */
  [HOLDER]?: ConnectionHolder | null | undefined;
  [NUMBER]?: number;
}

/** The part of the driver's pool that it has no types for. It takes the last idle connection. */
interface IdleConnections {
  readonly _idle: { readonly client: HeldClient }[];
}

type OnConnection = (error: Error | undefined, client: pg.PoolClient | undefined) => void;

/** Work of the program itself, which may hold all connections. */
const INTERNAL = "";
const INTERNAL_HOLDER: ConnectionHolder = { key: INTERNAL };
/** A connection does not serve more than this before the last ones time out: queueing them would only cost memory. */
const WAITING_PER_CONNECTION = 50;

/**
 * A pool whose connections are shared fairly: requests wait per user, and each user holds a bounded part of the connections.
 * The queue of the driver's pool stays empty, because a request enters it only with a permit for a connection.
 */
export class FairPool extends pg.Pool {
  readonly lockTimeoutMs: number;
  readonly translateError: (error: unknown) => unknown;
  readonly onReadOnly: (client: pg.PoolClient) => void;
  readonly #largeKey: string | null;
  readonly #queue: FairQueue<ConnectionRequest>;
  readonly #maxPerUser: number;
  #isDispatching = false;
  #opened = 0;

  constructor({ userShare = 1, largeKey, lockTimeoutMs = 0, translateError, onReadOnly, ...config }: FairPoolConfig) {
    super(config);
    const { max } = this.options;
    this.translateError = translateError ?? ((error) => error);
    this.onReadOnly = onReadOnly ?? (() => {});
    this.#largeKey = largeKey ?? null;
    this.lockTimeoutMs = lockTimeoutMs;
    this.#maxPerUser = Math.max(1, Math.floor(max * userShare));
    this.#queue = new FairQueue({
      permits: max,
      maxHeldBy: (key) => this.#maxHeldBy(key),
      maxLongHeldBy: (key) => Math.max(1, this.#maxHeldBy(key) - 1),
    });
    this.on("connect", (client: HeldClient) => {
      client[NUMBER] = this.#opened++;
    });
    this.on("release", (_error, client: HeldClient) => {
      const holder = client[HOLDER];
      client[HOLDER] = undefined;
      // The driver's pool itself releases a connection that was established too late for its request.
      if (holder !== undefined) this.#returnPermit(holder);
    });
  }

  countWaiting(): number {
    return this.#queue.size;
  }

  /** For work of the program itself. */
  override connect(): Promise<pg.PoolClient>;
  override connect(callback: (...args: [...Parameters<OnConnection>, done: () => void]) => void): void;
  override connect(
    callback?: (...args: [...Parameters<OnConnection>, done: () => void]) => void,
  ): Promise<pg.PoolClient> | undefined {
    if (callback === undefined) {
      const { promise, resolve, reject } = Promise.withResolvers<pg.PoolClient>();
      this.connect((error, client) => (client === undefined ? reject(error) : resolve(client)));
      return promise;
    }
    const deliver: OnConnection = (error, client) => callback(error, client, () => client?.release());
    const start = (): void => this.open(INTERNAL_HOLDER, deliver);
    if (this.tryTake(INTERNAL_HOLDER)) start();
    else this.enqueue([{ key: INTERNAL, start, fail: (error) => deliver(error, undefined) }]);
    return undefined;
  }

  /** Takes a permit for a connection without waiting; false when none is free for the holder. */
  tryTake(holder: ConnectionHolder): boolean {
    return this.#queue.tryTake(holder);
  }

  /**
   * Starts requests with a permit, at once or when their turn comes, or fails them. One that starts can take others along with
   * `join`.
   */
  enqueue(requests: readonly ConnectionRequest[]): void {
    for (const request of requests) this.#add(request);
    this.#dispatch();
    const waitMs = this.options.connectionTimeoutMillis ?? 0;
    if (waitMs === 0 || this.#queue.size === 0) return;
    for (const request of requests) {
      if (!this.#queue.has(request)) continue;
      // The message of the driver's pool, by which this error is known.
      const giveUp = (): void => this.#reject(request, new Error("timeout exceeded when trying to connect"));
      request.timer = setTimeout(giveUp, waitMs);
    }
  }

  /** Takes waiting requests that share the permit of the first one. Each leaves with `leave`. */
  join<Joined extends ConnectionRequest>(
    first: Joined,
    room: number,
    canJoin: (request: ConnectionRequest) => request is Joined,
  ): Joined[] {
    const joined = this.#queue.join(first, room, canJoin);
    for (const { timer } of joined) clearTimeout(timer);
    return joined;
  }

  leave(holder: ConnectionHolder): void {
    this.#queue.leave(holder);
    this.#dispatch();
  }

  /** Ends the wait of a request. */
  withdraw(request: ConnectionRequest): void {
    clearTimeout(request.timer);
    this.#queue.remove(request);
  }

  /** Opens the connection of a permit. With null, those who share it leave by themselves. */
  open(holder: ConnectionHolder | null, callback: OnConnection): void {
    this.#preferOldest();
    super.connect((error, client: HeldClient | undefined) => {
      if (client === undefined) this.#returnPermit(holder);
      else client[HOLDER] = holder;
      callback(error, client);
    });
  }

  /**
   * The caches of a server process are worth more the more often it is used. In the order of the driver's pool, each statement
   * that comes while another is in progress moves all later ones to another process.
   */
  #preferOldest(): void {
    const { _idle: idle } = this as unknown as IdleConnections;
    if (idle.length > 1) idle.sort((one, other) => (other.client[NUMBER] ?? 0) - (one.client[NUMBER] ?? 0));
  }

  /** Returns a permit whose connection was not opened. */
  giveBack(holder: ConnectionHolder): void {
    this.#returnPermit(holder);
  }

  #add(request: ConnectionRequest): void {
    const { key } = request;
    if (this.#queue.countWaiting(key) >= this.#maxWaitingOf(key))
      return request.fail(this.#busyError("Too many of your requests are waiting for the database."));
    this.#queue.add(request);
    if (this.#queue.size <= this.options.max * WAITING_PER_CONNECTION) return;
    const evicted = this.#queue.evict((each) => each !== INTERNAL);
    if (evicted !== null) this.#reject(evicted, this.#busyError("Too many requests are waiting for the database."));
  }

  #busyError(message: string): Error {
    return this.translateError(new PoolError("busy", message)) as Error;
  }

  #reject(request: ConnectionRequest, error: Error): void {
    this.withdraw(request);
    request.fail(error);
  }

  #returnPermit(holder: ConnectionHolder | null): void {
    if (holder !== null) this.#queue.leave(holder);
    this.#queue.free();
    this.#dispatch();
  }

  /** A request that fails when it starts returns its permit, which leads here again. */
  #dispatch(): void {
    if (this.#isDispatching) return;
    this.#isDispatching = true;
    try {
      for (let next = this.#queue.take(); next !== null; next = this.#queue.take()) {
        clearTimeout(next.timer);
        next.start();
      }
    } finally {
      this.#isDispatching = false;
    }
  }

  #maxHeldBy(key: string): number {
    const { max } = this.options;
    if (key === INTERNAL) return max;
    return key === this.#largeKey ? max - Math.floor(max / 4) : this.#maxPerUser;
  }

  #maxWaitingOf(key: string): number {
    return key === INTERNAL ? Number.POSITIVE_INFINITY : this.#maxHeldBy(key) * WAITING_PER_CONNECTION;
  }
}
