import { randomUUID } from "node:crypto";
import type { Socket } from "node:net";
import type { ErrorCode } from "@swarmbase/sdk";
import { AppError, type HelpLinks, renderError } from "../../errors/index.ts";
import type { Observer } from "../../observe/index.ts";
import type { Connections } from "./connections.ts";
import { respondAndDrain, renderRawResponse } from "../response/raw-response.ts";
import type { RawErrorRenderer } from "../response/render-route-error.ts";
import { requestIdOf } from "../request/request-id.ts";

/** Responds to what Node's HTTP parser rejects: malformed requests, oversized headers, slow clients. */
export function buildClientErrorListener(
  connections: Connections,
  { observer, helpLinks }: { readonly observer: Observer; readonly helpLinks?: HelpLinks },
  render: RawErrorRenderer,
) {
  const rejected = new WeakSet<Socket>();

  return (error: NodeJS.ErrnoException, socket: Socket): void => {
    // The parser reports the error again for every further chunk.
    if (rejected.has(socket)) return;
    rejected.add(socket);

    if (!connections.isOpen(socket)) {
      observer.note("http.handshake_failed", {
        remoteAddress: socket.remoteAddress,
        reason: error.code ?? error.message,
      });
      socket.destroy();
      return;
    }
    if (error.code === "ECONNRESET" || error.code === "EPIPE" || !socket.writable) {
      socket.destroy();
      return;
    }

    const unanswered = connections.unanswered(socket);
    const [current] = unanswered;
    const answer = describeClientError(error);
    if (current === undefined) {
      const requestId = randomUUID();
      observer.note("http.request_refused", { status: answer.status, reason: error.code, requestId });
      respondAndDrain(socket, renderRawResponse(renderError(answer, helpLinks), requestId, { withBody: true }));
    } else if (unanswered.every(({ request }) => request.complete)) {
      // The malformed input follows complete requests. A response to it would be taken for one of theirs.
      unanswered.at(-1)?.response.once("close", () => socket.destroySoon());
    } else if (unanswered.length === 1 && !current.response.headersSent) {
      const shown = render(answer, current.request);
      current.response.statusCode = shown.status;
      respondAndDrain(socket, renderRawResponse(shown, requestIdOf(current.request), { withBody: true }));
    } else {
      socket.destroy();
    }
  };
}

/** As the server of Node.js reports it for headers. */
export function requestTimeoutError(): NodeJS.ErrnoException {
  return Object.assign(new Error("Request timeout"), { code: REQUEST_TIMEOUT });
}

const REQUEST_TIMEOUT = "ERR_HTTP_REQUEST_TIMEOUT";

const PARSER_ERRORS: Readonly<Record<string, readonly [ErrorCode, string]>> = {
  HPE_HEADER_OVERFLOW: ["HEADERS_TOO_LARGE", "The request line and headers are larger than 256 KiB"],
  [REQUEST_TIMEOUT]: ["REQUEST_TIMEOUT", "The request did not arrive in time"],
  HPE_CHUNK_EXTENSIONS_OVERFLOW: ["PAYLOAD_TOO_LARGE", "The chunk extensions of the body are too large"],
};

export function describeClientError({ code = "" }: NodeJS.ErrnoException): AppError {
  return new AppError(...(PARSER_ERRORS[code] ?? ["BAD_REQUEST", "This is not a well-formed HTTP request"]));
}
