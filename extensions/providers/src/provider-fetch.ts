import { setTimeout as sleep } from "node:timers/promises";
import type { StreamPace } from "swarmbase/extension";
import type { PlainText } from "./plain-text.ts";

export type Fetch = typeof globalThis.fetch;

const MAX_ANSWER_BYTES = 64 * 1_048_576;
const MAX_ERROR_BYTES = 1_048_576;
const KEY_HEADERS = ["authorization", "x-api-key", "x-goog-api-key"];
/** Rejects the fetch of a vendor's package that has nothing to parse. Shared, because creating an error takes long. */
const NOTHING_LEFT = new Error("the answer was read without the package");

/** What receives the response of an attempt before the vendor's package. */
interface Watcher {
  onBytes(): void;
  /** Takes plain text out of the response; null means that the package parses all of it. */
  readonly text: PlainText | null;
}

/** By the signal of the request. */
export type Watchers = WeakMap<AbortSignal, Watcher>;

interface ProviderFetchOptions {
  readonly hasKey: boolean;
  readonly watchers: Watchers;
  readonly pace: StreamPace;
}

/**
 * A fetch for the vendor's package of one provider. Reports received bytes, limits the size of the response, follows no redirect
 * (it would receive the key), and sends no empty key. Resolves when the response has bytes for the package, and rejects when the
 * watcher has read all of them.
 */
export function createProviderFetch(send: Fetch, { hasKey, watchers, pace }: ProviderFetchOptions): Fetch {
  return async (input, init) => {
    const watcher = init?.signal ? watchers.get(init.signal) : undefined;
    const response = await send(input, {
      ...init,
      ...(!hasKey && { headers: withoutKeys(init?.headers) }),
      redirect: "error",
    });
    if (response.body === null) return response;
    const { status, statusText, headers, ok } = response;
    const text = (ok && watcher?.text) || null;
    const body = openBody(response.body, {
      maxBytes: ok ? MAX_ANSWER_BYTES : MAX_ERROR_BYTES,
      text,
      onBytes: () => watcher?.onBytes(),
      signal: init?.signal ?? null,
      pace,
    });
    let first: Promise<Uint8Array | null> | null = body.next();
    // The stream reports the error when it is read.
    await first.catch(() => {});
    if ((text?.end ?? null) !== null) throw NOTHING_LEFT;
    const stream = new ReadableStream<Uint8Array>(
      {
        async pull(controller) {
          const piece = await (first ?? body.next());
          first = null;
          if (piece === null) controller.close();
          else controller.enqueue(piece);
        },
        cancel: (reason) => body.cancel(reason),
      },
      { highWaterMark: 0 },
    );
    return new Response(stream, { status, statusText, headers });
  };
}

function withoutKeys(given: RequestInit["headers"]): Headers {
  const headers = new Headers(given);
  for (const name of KEY_HEADERS) headers.delete(name);
  return headers;
}

interface BodyOptions extends Watcher {
  readonly maxBytes: number;
  readonly signal: AbortSignal | null;
  readonly pace: StreamPace;
}

interface Body {
  /** The next bytes for the package; null at the end. */
  next(): Promise<Uint8Array | null>;
  cancel(reason: unknown): Promise<void>;
}

function openBody(stream: ReadableStream<Uint8Array>, options: BodyOptions): Body {
  const { maxBytes, text, signal, pace } = options;
  const reader = stream.getReader();
  const leave = pace.enter();
  // An aborted reader does not read to the end.
  signal?.addEventListener("abort", leave, { once: true });
  let left = maxBytes;
  let isOver = false;
  const close = (): Uint8Array | null => {
    isOver = true;
    signal?.removeEventListener("abort", leave);
    leave();
    return text?.finish() ?? null;
  };
  const read = async (): Promise<Uint8Array | null> => {
    while (!isOver) {
      const pauseMs = left === maxBytes ? 0 : pace.pauseMs();
      if (pauseMs > 0) await sleep(pauseMs);
      const { done, value } = await reader.read();
      if (done) return close();
      options.onBytes();
      left -= value.byteLength;
      if (left < 0) {
        await reader.cancel();
        throw new Error("the answer is too large");
      }
      const passed = text === null ? value : text.push(value);
      if (passed !== null) return passed;
    }
    return null;
  };
  return {
    next: () =>
      read().catch((error: unknown) => {
        leave();
        throw error;
      }),
    cancel: (reason) => {
      leave();
      return reader.cancel(reason);
    },
  };
}
