import type { IncomingMessage, ServerResponse } from "node:http";
import type { Settings } from "../../config/index.ts";
import { hasBody } from "../request/has-body.ts";
import { asHttp2 } from "../request/http2-request.ts";

interface Arriving {
  readonly response: ServerResponse;
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
  readonly #onLate: (request: IncomingMessage, response: ServerResponse) => void;
  readonly #arriving = new Map<IncomingMessage, Arriving>();

  constructor(timeoutMs: number, onLate: (request: IncomingMessage, response: ServerResponse) => void) {
    this.#timeoutMs = timeoutMs;
    this.#onLate = onLate;
  }

  begin(request: IncomingMessage, response: ServerResponse): void {
    if (!hasBody(request)) return;
    request.once("close", () => this.#arriving.delete(request));
    this.#arriving.set(request, { response, startedMs: performance.now(), bytesBefore: bytesOf(request) });
  }

  check(): void {
    const nowMs = performance.now();
    for (const [request, { response, startedMs, bytesBefore }] of this.#arriving) {
      const bytes = bytesOf(request) - bytesBefore;
      if (nowMs - startedMs <= this.#timeoutMs + (bytes * 1000) / MIN_BYTES_PER_SECOND) continue;
      this.#arriving.delete(request);
      if (!request.complete && !request.socket.destroyed) this.#onLate(request, response);
    }
  }
}

function bytesOf(request: IncomingMessage): number {
  return (asHttp2(request) ?? request.socket).bytesRead;
}

/** How often deadlines are checked. */
export function checkIntervalMs({ headersTimeoutMs, requestTimeoutMs }: RequestTimeouts): number {
  return Math.min(CHECK_INTERVAL_MAX_MS, Math.ceil(Math.min(headersTimeoutMs, requestTimeoutMs) / 4));
}
