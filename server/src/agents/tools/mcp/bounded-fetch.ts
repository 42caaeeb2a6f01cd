import type { FetchLike } from "@modelcontextprotocol/client";
import type { RequestInit as GuardedInit } from "undici";
import { OutboundError } from "../../../outbound/index.ts";
import type { FetchPort } from "../http/run-http-tool.ts";

const MAX_ANSWER_BYTES = 8_000_000;
/** Lists come in many pages, all of which are kept until the last. */
const MAX_PAGE_BYTES = 2_000_000;
const LISTING = /"method":"[a-z]+(?:\/[a-z]+)?\/list"/;

/** The guarded way out, as a client of MCP wants it: answers end where they get too long, and nothing is listened to. */
export function createBoundedFetch(port: FetchPort): FetchLike {
  return async (url, init = {}) => {
    // A stream of notifications, held open as long as the client lives. Nobody here waits for any.
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
