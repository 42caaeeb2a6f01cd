import type { Dispatcher } from "undici";
import { Connection, type ConnectionOptions } from "./connection.ts";

/** A request that waits for a connection. */
export interface PendingRequest {
  readonly options: Dispatcher.DispatchOptions;
  /** Called with the connection before the request is sent on it. */
  assign(connection: Connection): Dispatcher.DispatchHandler;
}

export interface OriginPoolOptions extends Omit<ConnectionOptions, "onDisconnect"> {
  readonly maxConnections: number;
  /** Called each time the last request ends. */
  onIdle(pool: OriginPool): void;
}

/** A bounded number of connections to one origin, with a queue. The most recently used connection is used first. */
export class OriginPool {
  readonly origin: string;
  readonly #options: OriginPoolOptions;
  readonly #connections = new Set<Connection>();
  readonly #idle: Connection[] = [];
  readonly #waiting = new Set<PendingRequest>();

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

  submit(request: PendingRequest): void {
    const connection = this.#takeIdle() ?? this.#open();
    if (connection === null) this.#waiting.add(request);
    else connection.send(request.options, request.assign(connection));
  }

  /** Removes a request that has no connection yet. */
  withdraw(request: PendingRequest): void {
    this.#waiting.delete(request);
    this.#notifyIfIdle();
  }

  /** Call once for each assigned connection. */
  release(connection: Connection, isReusable: boolean): void {
    if (!this.#connections.has(connection)) return;
    if (isReusable) this.#idle.push(connection);
    else this.#drop(connection);
    const [next] = this.#waiting;
    if (next === undefined) return this.#notifyIfIdle();
    this.#waiting.delete(next);
    this.submit(next);
  }

  async destroy(): Promise<void> {
    const connections = [...this.#connections];
    this.#connections.clear();
    this.#idle.length = 0;
    await Promise.all(connections.map((connection) => connection.destroy()));
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
      onDisconnect: () => this.#removeIfIdle(connection),
    });
    this.#connections.add(connection);
    return connection;
  }

  #removeIfIdle(connection: Connection): void {
    const index = this.#idle.indexOf(connection);
    if (index === -1) return;
    this.#idle.splice(index, 1);
    this.#drop(connection);
    this.#notifyIfIdle();
  }

  #drop(connection: Connection): void {
    this.#connections.delete(connection);
    void connection.destroy();
  }

  #notifyIfIdle(): void {
    if (this.isIdle) this.#options.onIdle(this);
  }
}
