import type { Socket } from "node:net";
import { Client, type Dispatcher } from "undici";
import type { GuardedConnector } from "./guarded-connector.ts";

const KEEP_ALIVE_MS = 15_000;
const LONGEST_KEEP_ALIVE_MS = 30_000;
const MAX_HEADER_BYTES = 16_384;

export interface ConnectionOptions {
  readonly origin: string;
  readonly connect: GuardedConnector;
  /** Names move: a socket in constant use must make room for a new one some time. */
  readonly maxSocketAgeMs: number;
  onDisconnect(): void;
}

/**
 * One place for a socket to one origin, with at most one request on it. The socket comes with the first request, goes
 * when it has been idle for a while, and comes again if a request is there. What goes wrong ends the connection.
 */
export class Connection {
  readonly #client: Client;
  readonly #maxSocketAgeMs: number;
  #connecting: Socket | null = null;
  #connectedAtMs = Number.NaN;

  constructor({ origin, connect, maxSocketAgeMs, onDisconnect }: ConnectionOptions) {
    this.#maxSocketAgeMs = maxSocketAgeMs;
    this.#client = new Client(origin, {
      connect: (to, callback) => {
        this.#connecting = connect(to, callback);
      },
      allowH2: false,
      pipelining: 1,
      keepAliveTimeout: KEEP_ALIVE_MS,
      keepAliveMaxTimeout: LONGEST_KEEP_ALIVE_MS,
      maxHeaderSize: MAX_HEADER_BYTES,
      // Each request has a deadline of its own, over everything.
      headersTimeout: 0,
      bodyTimeout: 0,
    });
    this.#client.on("connect", () => {
      this.#connecting = null;
      this.#connectedAtMs = performance.now();
    });
    this.#client.on("disconnect", onDisconnect);
  }

  send(options: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler): void {
    this.#client.dispatch(options, handler);
  }

  isTooOld(): boolean {
    return performance.now() - this.#connectedAtMs > this.#maxSocketAgeMs;
  }

  /** Ends what is under way, a handshake included. */
  async destroy(): Promise<void> {
    // undici lets a socket that still connects go on until it is connected.
    this.#connecting?.destroy();
    this.#connecting = null;
    await this.#client.destroy();
  }
}
