import type { FetchLike } from "@modelcontextprotocol/client";
import type { RequestInit as GuardedInit, Response as GuardedResponse } from "undici";
import { OutboundError } from "../../../outbound/index.ts";
import type { FetchPort } from "../http/run-http-tool.ts";

const MAX_ANSWER_BYTES = 8_000_000;
/** Lists consist of many pages, which the client holds in memory until the last. */
const MAX_PAGE_BYTES = 2_000_000;
const LISTING = /"method":"[a-z]+(?:\/[a-z]+)?\/list"/;

/** Adapts the guarded fetch to the MCP client. Limits the size of responses. */
export function createBoundedFetch(port: FetchPort): FetchLike {
  return async (url, init = {}) => {
    const { method = "GET", body, signal } = init;
    const isListing = typeof body === "string" && LISTING.test(body);
    const response = await port.fetch(url, {
      method,
      headers: Object.fromEntries(new Headers(init.headers)),
      ...(typeof body === "string" && { body }),
      ...(signal !== undefined && signal !== null && { signal }),
    } satisfies GuardedInit);
    return toPlainResponse(response, boundBytes(isListing ? MAX_PAGE_BYTES : MAX_ANSWER_BYTES));
  };
}

/** The response as the platform's type, with its body through the given limit. */
export function toPlainResponse(
  { body, status, statusText, headers }: GuardedResponse,
  limit: TransformStream<Uint8Array, Uint8Array>,
): Response {
  const bounded = body === null ? null : (body as ReadableStream<Uint8Array>).pipeThrough(limit);
  return new Response(isBodiless(status) ? null : bounded, { status, statusText, headers: [...headers] });
}

/** Ends a stream with an error when it is longer. */
export function boundBytes(maxBytes: number): TransformStream<Uint8Array, Uint8Array> {
  let size = 0;
  return new TransformStream({
    transform(chunk, controller) {
      size += chunk.byteLength;
      if (size > maxBytes) controller.error(new OutboundError("protocol", "The answer is too long."));
      else controller.enqueue(chunk);
    },
  });
}

function isBodiless(status: number): boolean {
  return status === 204 || status === 205 || status === 304;
}
