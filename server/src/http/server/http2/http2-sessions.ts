import { constants, type Http2Session, type ServerHttp2Stream } from "node:http2";
import type { TLSSocket } from "node:tls";
import { type Http2Response, resetStream } from "./http2-response.ts";

interface Session {
  readonly socket: TLSSocket;
  readonly responses: Set<Http2Response>;
  /** When the last response ended, or the connection was opened. */
  idleSinceMs: number;
  idleTimeoutMs: number;
  resets: number;
  resetsSinceMs: number;
  /** Requests in this turn of the event loop. */
  requestsAtOnce: number;
  /** Requests since the last check, and those that were in progress then. */
  requests: number;
  /** Bytes of the bodies of requests that have ended. */
  bodyBytes: number;
  /** Bytes other than bodies, at the last check. */
  otherBytes: number;
}

export interface SessionTimeouts {
  /** Until the first request of a connection. */
  readonly firstRequestMs: number;
  /** Between two requests. */
  readonly idleMs: number;
}

const RESET_WINDOW_MS = 10_000;
const RESETS_PER_WINDOW = 100;
const TOO_MANY_RESETS = "Too many streams were reset";
/** Frames that belong to no request between two checks: acknowledgements, pings, windows. */
const CONTROL_BYTES = 256 * 1024;
/** The headers of a request, and the part of its body that arrives before anybody reads it. */
const REQUEST_BYTES = 192 * 1024;

/** Bounds the time of HTTP/2 connections without a request and of responses that are not read, and the number of resets and other frames. */
export class Http2Sessions {
  readonly #timeouts: SessionTimeouts;
  readonly #streamLimit: number;
  readonly #sessions = new Map<Http2Session, Session>();

  constructor(timeouts: SessionTimeouts, streamLimit: number) {
    this.#timeouts = timeouts;
    this.#streamLimit = streamLimit;
  }

  open(session: Http2Session, socket: TLSSocket): void {
    const nowMs = performance.now();
    this.#sessions.set(session, {
      socket,
      responses: new Set(),
      idleSinceMs: nowMs,
      idleTimeoutMs: this.#timeouts.firstRequestMs,
      resets: 0,
      resetsSinceMs: nowMs,
      requestsAtOnce: 0,
      requests: 0,
      bodyBytes: 0,
      otherBytes: socket.bytesRead,
    });
    session.once("close", () => this.#sessions.delete(session));
  }

  /** The connection of a stream, or null when it has ended. */
  findSocket({ session }: ServerHttp2Stream): TLSSocket | null {
    return this.#find(session)?.socket ?? null;
  }

  /** Returns false when the connection was closed because of a limit. */
  begin(response: Http2Response): boolean {
    const { session } = response.stream;
    const open = this.#find(session);
    if (session === undefined || open === undefined) return false;
    open.requestsAtOnce += 1;
    // More streams at once than may be open: the first ones are reset already, which is noticed later.
    if (open.requestsAtOnce > this.#streamLimit) {
      end(session, TOO_MANY_RESETS);
      return false;
    }
    if (open.requestsAtOnce === 1) setImmediate(() => (open.requestsAtOnce = 0));
    open.responses.add(response);
    open.requests += 1;
    open.idleTimeoutMs = this.#timeouts.idleMs;
    response.once("close", () => {
      open.responses.delete(response);
      open.bodyBytes += response.req.bytesRead;
      open.idleSinceMs = performance.now();
      if (!response.writableFinished && isResetFlood(open)) end(session, TOO_MANY_RESETS);
    });
    return true;
  }

  #find(session: Http2Session | undefined): Session | undefined {
    return session === undefined ? undefined : this.#sessions.get(session);
  }

  check(): void {
    const nowMs = performance.now();
    for (const [session, open] of this.#sessions) {
      for (const response of open.responses)
        if (response.dueMs < nowMs) resetStream(response.stream, constants.NGHTTP2_CANCEL);
      if (isControlFlood(open)) end(session, "Too many frames belong to no request");
      // The headers of a request that arrive slowly are no request yet.
      else if (open.responses.size === 0 && nowMs - open.idleSinceMs > open.idleTimeoutMs) {
        if (session.closed) session.destroy();
        else session.close();
      }
    }
  }
}

function end(session: Http2Session, reason: string): void {
  session.destroy(new Error(reason), constants.NGHTTP2_ENHANCE_YOUR_CALM);
}

/** Requests that are reset at once cost the server much more than the client, and are not limited by the number of streams. */
function isResetFlood(open: Session): boolean {
  const nowMs = performance.now();
  if (nowMs - open.resetsSinceMs > RESET_WINDOW_MS) {
    open.resets = 0;
    open.resetsSinceMs = nowMs;
  }
  open.resets += 1;
  return open.resets > RESETS_PER_WINDOW;
}

/** Pings, settings and empty frames cost time, and no limit of requests counts them. */
function isControlFlood(open: Session): boolean {
  let otherBytes = open.socket.bytesRead - open.bodyBytes;
  for (const { req } of open.responses) otherBytes -= req.bytesRead;
  const isFlood = otherBytes - open.otherBytes > CONTROL_BYTES + open.requests * REQUEST_BYTES;
  open.otherBytes = otherBytes;
  open.requests = open.responses.size;
  return isFlood;
}
