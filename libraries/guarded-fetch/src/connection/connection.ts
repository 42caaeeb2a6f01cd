import type { Socket } from "node:net";
import { Client, type Dispatcher } from "undici";
import type { GuardedConnector } from "./guarded-connector.ts";

const KEEP_ALIVE_MS = 15_000;
const MAX_KEEP_ALIVE_MS = 30_000;
const MAX_HEADER_BYTES = 16_384;

export interface ConnectionOptions {
  readonly origin: string;
  readonly connect: GuardedConnector;
  /** DNS records change, so a socket in constant use is replaced at this age. */
  readonly maxSocketAgeMs: number;
  onDisconnect(): void;
}

/** One request at a time to one origin. The socket opens on demand and closes when idle; an error ends the connection. */
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
      keepAliveMaxTimeout: MAX_KEEP_ALIVE_MS,
      maxHeaderSize: MAX_HEADER_BYTES,
      // Each request has its own deadline.
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

  /** Ends the current request or handshake. */
  async destroy(): Promise<void> {
    // undici does not destroy a socket that is still connecting.
    this.#connecting?.destroy();
    this.#connecting = null;
    await this.#client.destroy();
  }
}
