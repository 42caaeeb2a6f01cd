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

/** How long requests wait for a connection to become free before further ones are opened. */
const GROWTH_MS = 50;

/**
 * A bounded number of connections to one origin, with a queue. The most recently used connection is used first. A handshake costs as
 * much as ten requests, and a connection that is not needed again stays until it times out. So while requests wait, the number of
 * connections doubles after each pause.
 */
export class OriginPool {
  readonly origin: string;
  readonly #options: OriginPoolOptions;
  readonly #connections = new Set<Connection>();
  readonly #idle: Connection[] = [];
  readonly #waiting = new Set<PendingRequest>();
  #growth: NodeJS.Timeout | null = null;

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
    const connection = this.#takeIdle() ?? (this.#connections.size === 0 ? this.#open() : null);
    if (connection !== null) return send(request, connection);
    this.#waiting.add(request);
    this.#growth ??= setTimeout(this.#grow, GROWTH_MS);
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
    if (this.#waiting.size === 0) return this.#notifyIfIdle();
    this.#sendNext(this.#takeIdle() ?? this.#open());
  }

  async destroy(): Promise<void> {
    this.#stopGrowing();
    const connections = [...this.#connections];
    this.#connections.clear();
    this.#idle.length = 0;
    await Promise.all(connections.map((connection) => connection.destroy()));
  }

  #grow = (): void => {
    this.#growth = null;
    for (let added = this.#connections.size; added > 0 && this.#waiting.size > 0; added -= 1)
      this.#sendNext(this.#open());
    if (this.#waiting.size > 0) this.#growth = setTimeout(this.#grow, GROWTH_MS);
  };

  #stopGrowing(): void {
    if (this.#growth !== null) clearTimeout(this.#growth);
    this.#growth = null;
  }

  #sendNext(connection: Connection | null): void {
    const [next] = this.#waiting;
    if (next === undefined || connection === null) return;
    this.#waiting.delete(next);
    if (this.#waiting.size === 0) this.#stopGrowing();
    send(next, connection);
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

function send(request: PendingRequest, connection: Connection): void {
  connection.send(request.options, request.assign(connection));
}
