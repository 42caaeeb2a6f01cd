import type { FetchLike } from "@modelcontextprotocol/client";

export type Fetch = typeof globalThis.fetch;

/** A response that is longer than its limit. */
export class AnswerTooLongError extends Error {
  override readonly name = "AnswerTooLongError";

  constructor() {
    super("The answer is too long.");
  }
}

const MAX_ANSWER_BYTES = 8_000_000;
/** Lists consist of many pages, which the client holds in memory until the last. */
const MAX_PAGE_BYTES = 2_000_000;
const LISTING = /"method":"[a-z]+(?:\/[a-z]+)?\/list"/;

/** Adapts the guarded fetch to the MCP client. Limits the size of responses. */
export function createBoundedFetch(send: Fetch): FetchLike {
  return async (url, init = {}) => {
    const { method = "GET", body, signal } = init;
    const isListing = typeof body === "string" && LISTING.test(body);
    const response = await send(url, {
      method,
      headers: Object.fromEntries(new Headers(init.headers)),
      ...(typeof body === "string" && { body }),
      ...(signal !== undefined && signal !== null && { signal }),
    });
    return boundResponse(response, isListing ? MAX_PAGE_BYTES : MAX_ANSWER_BYTES);
  };
}

/** Reading the body fails when it is longer. */
export function boundResponse({ body, status, statusText, headers }: Response, maxBytes: number): Response {
  const bounded = body?.pipeThrough(boundBytes(maxBytes)) ?? null;
  return new Response(isBodiless(status) ? null : bounded, { status, statusText, headers: [...headers] });
}

function boundBytes(maxBytes: number): TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>> {
  let size = 0;
  return new TransformStream({
    transform(chunk, controller) {
      size += chunk.byteLength;
      if (size > maxBytes) controller.error(new AnswerTooLongError());
      else controller.enqueue(chunk);
    },
  });
}

function isBodiless(status: number): boolean {
  return status === 204 || status === 205 || status === 304;
}
