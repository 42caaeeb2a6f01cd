import { EventEmitter } from "node:events";
import http2, { type IncomingHttpHeaders, type ServerHttp2Session } from "node:http2";
import type { TLSSocket } from "node:tls";
import type { Observer } from "../../../observe/index.ts";
import type { Connections } from "../connections.ts";
import { Http2Request } from "../../request/http2-request.ts";
import { Http2Response } from "./http2-response.ts";
import { Http2Sessions, type SessionTimeouts } from "./http2-sessions.ts";

const STREAMS_PER_CONNECTION = 100;
const HEADER_LIST_BYTES = 128 * 1024;
const HEADERS_PER_REQUEST = 128;
const MEGABYTES_PER_CONNECTION = 8;
const FAULTS_PER_CONNECTION = 100;

/**
 * The bounds of one connection; beyond them, Node.js resets the stream or closes the connection. The library below it bounds
 * what has no option: CONTINUATION frames of a request, and acknowledgements that the client does not read.
 */
const LIMITS = {
  settings: {
    enablePush: false,
    // WebSockets use HTTP/1.1.
    enableConnectProtocol: false,
    maxConcurrentStreams: STREAMS_PER_CONNECTION,
    maxHeaderListSize: HEADER_LIST_BYTES,
  },
  maxHeaderListPairs: HEADERS_PER_REQUEST,
  maxSessionMemory: MEGABYTES_PER_CONNECTION,
  maxSessionInvalidFrames: FAULTS_PER_CONNECTION,
  maxSessionRejectedStreams: FAULTS_PER_CONNECTION,
  streamResetBurst: FAULTS_PER_CONNECTION,
  streamResetRate: 10,
};

export interface Http2Port {
  /** Emits the events of a server of HTTP/1.1: `request`, `checkContinue`, `checkExpectation` and `connect`, the last one with a response. */
  readonly requests: EventEmitter;
  /** A connection on which the client has chosen HTTP/2. */
  accept(socket: TLSSocket): void;
  /** Closes what has exceeded its time. */
  check(): void;
}

export function createHttp2Server(
  connections: Connections,
  { observer, timeouts }: { readonly observer: Observer; readonly timeouts: SessionTimeouts },
): Http2Port {
  const sessions = new Http2Sessions(timeouts, STREAMS_PER_CONNECTION);
  const server = http2.createServer(LIMITS);
  const requests = new EventEmitter();
  server.on("stream", (stream, headers, _flags, rawHeaders) => {
    stream.on("error", () => {});
    const socket = sessions.findSocket(stream);
    // The stream was reset, or its connection closed, in the packet that began it.
    if (socket === null || stream.closed) return;
    const request = new Http2Request(stream, { headers, rawHeaders, socket });
    const response = new Http2Response(stream);
    if (sessions.begin(response)) requests.emit(eventOf(headers), request, response);
  });
  let accepting: TLSSocket | null = null;
  server.on("session", (session: ServerHttp2Session) => {
    if (accepting === null) throw new Error("an HTTP/2 session has no connection");
    connections.open(accepting, session);
    sessions.open(session, accepting);
  });
  server.on("sessionError", (error: Error) => observer.note("http.session_failed", { reason: error.message }));
  return {
    requests,
    accept(socket) {
      accepting = socket;
      server.emit("connection", socket);
      accepting = null;
    },
    check: () => sessions.check(),
  };
}

function eventOf({ ":method": method, expect }: IncomingHttpHeaders): string {
  if (method === "CONNECT") return "connect";
  if (expect === undefined) return "request";
  return expect === "100-continue" ? "checkContinue" : "checkExpectation";
}
