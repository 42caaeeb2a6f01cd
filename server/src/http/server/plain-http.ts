import { randomUUID } from "node:crypto";
import type { Socket } from "node:net";
import { AppError, renderError } from "../../errors/index.ts";
import { addAuthMembers } from "../response/auth-members.ts";
import { respondAndDrain, renderRawResponse } from "../response/raw-response.ts";

const TLS_HANDSHAKE = 0x16;
const LINE_LIMIT_BYTES = 16_384;

interface FirstByteOptions {
  /** For the first byte, and for the request line of plain HTTP. */
  timeoutMs: number;
  onTls(socket: Socket): void;
  onPlainHttp(): void;
  onGarbage(): void;
}

export function httpsRequiredError(): AppError {
  return new AppError("HTTPS_REQUIRED", "Plain HTTP is not served here; use https://", {
    headers: { upgrade: "TLS/1.2, HTTP/1.1" },
  });
}

/** Dispatches on the first byte: TLS goes to the TLS server, plain HTTP gets 426, everything else is closed. */
export function splitByFirstByte(socket: Socket, options: FirstByteOptions): void {
  const giveUp = () => socket.destroy();
  // The timeout of a socket begins again with every byte.
  const timer = setTimeout(giveUp, options.timeoutMs);
  socket.once("close", () => clearTimeout(timer));
  socket.on("error", giveUp);
  socket.once("end", giveUp);
  socket.once("data", (chunk: Buffer) => {
    socket.removeListener("end", giveUp);
    if (chunk[0] === TLS_HANDSHAKE) {
      clearTimeout(timer);
      socket.pause();
      socket.unshift(chunk);
      options.onTls(socket);
    } else if (isStartOfRequest(chunk[0])) {
      options.onPlainHttp();
      rejectPlainHttp(socket, chunk);
    } else {
      options.onGarbage();
      socket.destroy();
    }
  });
}

function isStartOfRequest(byte: number | undefined): boolean {
  return byte !== undefined && /[A-Za-z\r\n]/.test(String.fromCharCode(byte));
}

/** No request is parsed. Only HEAD, which gets no body, and the paths of accounts must be recognized. */
function rejectPlainHttp(socket: Socket, firstChunk: Buffer): void {
  let received = firstChunk.toString("latin1");
  const answer = () => {
    socket.removeListener("data", collect);
    socket.removeListener("end", answer);
    const [method, url] = received.trimStart().split(" ", 2);
    const error = addAuthMembers(httpsRequiredError(), url);
    respondAndDrain(socket, renderRawResponse(renderError(error), randomUUID(), { withBody: method !== "HEAD" }));
  };
  const isDone = () => received.trimStart().includes("\n") || received.length > LINE_LIMIT_BYTES;
  const collect = (chunk: Buffer) => {
    received += chunk.toString("latin1");
    if (isDone()) answer();
  };
  if (isDone()) return answer();
  socket.on("data", collect);
  socket.once("end", answer);
}
