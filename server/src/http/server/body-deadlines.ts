import type { IncomingMessage } from "node:http";
import type { Socket } from "node:net";
import type { Settings } from "../../config/index.ts";

interface Arriving {
  readonly startedMs: number;
  readonly bytesBefore: number;
}

export type RequestTimeouts = Pick<Settings, "headersTimeoutMs" | "requestTimeoutMs">;

const CHECK_INTERVAL_MAX_MS = 5_000;
/** The slowest pace at which a body may arrive after the timeout. */
const MIN_BYTES_PER_SECOND = 16 * 1024;

/**
 * Limits how long the body of a request may arrive: the timeout, and more for what has arrived at the least pace. The server of
 * Node.js has only a fixed limit, which is too short for a large body or too long for a small one.
 */
export class BodyDeadlines {
  readonly #timeoutMs: number;
  readonly #onLate: (socket: Socket) => void;
  readonly #arriving = new Map<IncomingMessage, Arriving>();

  constructor(timeoutMs: number, onLate: (socket: Socket) => void) {
    this.#timeoutMs = timeoutMs;
    this.#onLate = onLate;
  }

  begin(request: IncomingMessage): void {
    const { "content-length": length, "transfer-encoding": encoding } = request.headers;
    if (encoding === undefined && (length === undefined || length === "0")) return;
    request.once("close", () => this.#arriving.delete(request));
    this.#arriving.set(request, { startedMs: performance.now(), bytesBefore: request.socket.bytesRead });
  }

  check(): void {
    const nowMs = performance.now();
    for (const [request, { startedMs, bytesBefore }] of this.#arriving) {
      const { socket } = request;
      const bytes = socket.bytesRead - bytesBefore;
      if (nowMs - startedMs <= this.#timeoutMs + (bytes * 1000) / MIN_BYTES_PER_SECOND) continue;
      this.#arriving.delete(request);
      if (!request.complete && !socket.destroyed) this.#onLate(socket);
    }
  }
}

/** How often deadlines are checked. */
export function checkIntervalMs({ headersTimeoutMs, requestTimeoutMs }: RequestTimeouts): number {
  return Math.min(CHECK_INTERVAL_MAX_MS, Math.ceil(Math.min(headersTimeoutMs, requestTimeoutMs) / 4));
}
