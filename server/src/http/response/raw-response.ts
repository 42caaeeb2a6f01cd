import { type IncomingMessage, type ServerResponse, STATUS_CODES } from "node:http";
import type { Duplex } from "node:stream";
import type { RenderedError } from "../../errors/index.ts";
import { requestIdOf } from "../request/request-id.ts";
import { RESPONSE_HEADERS, type ResponseHeadersOf } from "./response-headers.ts";

const DRAIN_MS = 2_000;

interface RawResponseOptions {
  readonly withBody: boolean;
  /** The headers that every response to this request has. */
  readonly responseHeaders?: Readonly<Record<string, string>>;
}

/** Renders an error as the bytes of an HTTP/1.1 response, for sockets on which no request was parsed. */
export function renderRawResponse(
  { status, headers, body }: RenderedError,
  requestId: string,
  options: RawResponseOptions,
): string {
  const lines = {
    ...(options.responseHeaders ?? RESPONSE_HEADERS),
    ...headers,
    "x-request-id": requestId,
    "content-length": String(Buffer.byteLength(body)),
    date: new Date().toUTCString(),
    // The Upgrade header must be listed in Connection.
    connection: headers["upgrade"] === undefined ? "close" : "Upgrade, close",
  };
  const head = Object.entries(lines).map(([name, value]) => `${name}: ${value}\r\n`);
  return `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ""}\r\n${head.join("")}\r\n${options.withBody ? body : ""}`;
}

/**
 * Sends the response and closes, but discards further input for a moment. Closing with unread bytes would make the
 * kernel reset the connection, and the client would see the reset instead of the response.
 */
export function respondAndDrain(socket: Duplex, answer: string): void {
  socket.removeAllListeners("data");
  socket.on("data", discard);
  socket.on("error", discard);
  socket.once("end", () => socket.destroy());
  socket.resume();
  socket.end(answer);
  const timer = setTimeout(() => socket.destroy(), DRAIN_MS);
  socket.once("close", () => clearTimeout(timer));
}

/** Responds to a request whose body is not read, and closes the connection. */
export function rejectRequest(
  request: IncomingMessage,
  response: ServerResponse,
  rejection: RenderedError,
  responseHeadersOf: ResponseHeadersOf,
): void {
  const { socket } = response;
  const { status, headers, body } = rejection;
  const responseHeaders = responseHeadersOf(request);
  response.statusCode = status;
  if (socket === null) {
    // Earlier requests on the connection are not answered yet, and Node.js queues this response; or the request is a stream of HTTP/2.
    response.writeHead(status, {
      ...responseHeaders,
      ...headers,
      "x-request-id": requestIdOf(request),
      ...(request.httpVersionMajor < 2 && { connection: "close" }),
    });
    response.end(body);
    return;
  }
  const withBody = request.method !== "HEAD";
  respondAndDrain(socket, renderRawResponse(rejection, requestIdOf(request), { withBody, responseHeaders }));
}

function discard(): void {}
