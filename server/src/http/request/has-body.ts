import type { IncomingMessage } from "node:http";
import { asHttp2 } from "./http2-request.ts";

/** Whether a body follows the headers. HTTP/2 needs no header for it. */
export function hasBody(request: IncomingMessage): boolean {
  const { "content-length": length, "transfer-encoding": encoding } = request.headers;
  if (encoding !== undefined) return true;
  if (length !== undefined) return Number(length) !== 0;
  return asHttp2(request)?.hasBody ?? false;
}
