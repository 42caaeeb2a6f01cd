import type { Dispatcher } from "undici";
import { Connection } from "./connection.ts";
import type { GuardedConnector } from "./guarded-connector.ts";

/** A request that wants a connection. */
export interface PendingRead {
  readonly options: Dispatcher.DispatchOptions;
  /** Called with the connection it is put on, before it is. */
  board(connection: Connection): Dispatcher.DispatchHandler;
}

export interface OriginPoolOptions {
  readonly origin: string;
  readonly connect: GuardedConnector;
  readonly maxConnections: number;
  readonly maxSocketAgeMs: number;
  /** Called each time nothing is under way any more. */
  onIdle(pool: OriginPool): void;
}

/** The connections to one origin: a bounded number, the most recently used first, and a queue for more. */
export class OriginPool {
  readonly origin: string;
  readonly #options: OriginPoolOptions;
  readonly #connections = new Set<Connection>();
  readonly #idle: Connection[] = [];
  readonly #waiting = new Set<PendingRead>();

  constructor(options: OriginPoolOptions) {
    this.origin = options.origin;
    this.#options = options;
  }

  get isIdle(): boolean {
    return this.#idle.length === this.#connections.size && this.#waiting.size === 0;
  }

  get connectionCount(): number {
    return this.#connections.size;
  }

  submit(passenger: PendingRead): void {
    this.#board(passenger, this.#takeIdle() ?? this.#open());
  }

  /** Takes one back that has no connection yet. */
  withdraw(passenger: PendingRead): void {
    this.#waiting.delete(passenger);
    this.#tellIfIdle();
  }

  /** To be called once for each boarding. */
  release(connection: Connection, isReusable: boolean): void {
    if (!this.#connections.has(connection)) return;
    if (isReusable) this.#idle.push(connection);
    else this.#drop(connection);
    const [next] = this.#waiting;
    if (next === undefined) return this.#tellIfIdle();
    this.#waiting.delete(next);
    this.submit(next);
  }

  async destroy(): Promise<void> {
    const connections = [...this.#connections];
    this.#connections.clear();
    this.#idle.length = 0;
    await Promise.all(connections.map((connection) => connection.destroy()));
  }

  #board(passenger: PendingRead, connection: Connection | null): void {
    if (connection === null) this.#waiting.add(passenger);
    else connection.send(passenger.options, passenger.board(connection));
  }

  #takeIdle(): Connection | null {
    for (let connection = this.#idle.pop(); connection !== undefined; connection = this.#idle.pop()) {
      if (!connection.isTooOld()) return connection;
      this.#drop(connection);
    }
    return null;
  }

  #open(): Connection | null {
    const { maxConnections, ...options } = this.#options;
    if (this.#connections.size >= maxConnections) return null;
    const connection: Connection = new Connection({
      ...options,
      onDisconnect: () => this.#forgetIfIdle(connection),
    });
    this.#connections.add(connection);
    return connection;
  }

  #forgetIfIdle(connection: Connection): void {
    const place = this.#idle.indexOf(connection);
    if (place === -1) return;
    this.#idle.splice(place, 1);
    this.#drop(connection);
    this.#tellIfIdle();
  }

  #drop(connection: Connection): void {
    this.#connections.delete(connection);
    void connection.destroy();
  }

  #tellIfIdle(): void {
    if (this.isIdle) this.#options.onIdle(this);
  }
}
