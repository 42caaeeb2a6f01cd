import type { FetchLike } from "@modelcontextprotocol/client";
import type { RequestInit as GuardedInit } from "undici";
import { OutboundError } from "../../../outbound/index.ts";
import type { FetchPort } from "../http/run-http-tool.ts";

const MAX_ANSWER_BYTES = 8_000_000;
/** Lists consist of many pages, which the client holds in memory until the last. */
const MAX_PAGE_BYTES = 2_000_000;
const LISTING = /"method":"[a-z]+(?:\/[a-z]+)?\/list"/;

/** Adapts the guarded fetch to the MCP client. Limits the size of responses and opens no notification stream. */
export function createBoundedFetch(port: FetchPort): FetchLike {
  return async (url, init = {}) => {
    // A GET opens a notification stream that lasts as long as the client. Nothing here needs notifications.
    if (init.method === undefined || init.method === "GET") return new Response(null, { status: 405 });
    const { method, body, signal } = init;
    const isListing = typeof body === "string" && LISTING.test(body);
    const response = await port.fetch(url, {
      method,
      headers: Object.fromEntries(new Headers(init.headers)),
      ...(typeof body === "string" && { body }),
      ...(signal !== undefined && signal !== null && { signal }),
    } satisfies GuardedInit);
    const bounded =
      response.body === null
        ? null
        : (response.body as ReadableStream<Uint8Array>).pipeThrough(
            boundBytes(isListing ? MAX_PAGE_BYTES : MAX_ANSWER_BYTES),
          );
    const { status, statusText } = response;
    return new Response(isBodiless(status) ? null : bounded, { status, statusText, headers: [...response.headers] });
  };
}

function boundBytes(maxBytes: number): TransformStream<Uint8Array, Uint8Array> {
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
