import { STATUS_CODES } from "node:http";
import type { Duplex } from "node:stream";
import { renderError, SECURITY_HEADERS } from "../../errors/index.ts";

const DRAIN_MS = 2_000;

/** Answers a failed handshake with an HTTP error response. */
export function rejectUpgrade(socket: Duplex, error: unknown): void {
  const { status, headers, body } = renderError(error);
  const lines = {
    ...SECURITY_HEADERS,
    ...headers,
    "access-control-allow-origin": "*",
    "content-length": String(Buffer.byteLength(body)),
    connection: "close",
  };
  const head = Object.entries(lines).map(([name, value]) => `${name}: ${value}\r\n`);
  // Closing with unread bytes would reset the connection before the client reads the response.
  socket.on("data", () => {});
  socket.once("end", () => socket.destroy());
  socket.resume();
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ""}\r\n${head.join("")}\r\n${body}`);
  const timer = setTimeout(() => socket.destroy(), DRAIN_MS);
  socket.once("close", () => clearTimeout(timer));
}
