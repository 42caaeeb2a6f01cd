import { setTimeout as sleep } from "node:timers/promises";
import type { StreamPace } from "swarmbase/extension";
import type { FrameFormat, StreamEnd, TextDelta } from "./chat-frames.ts";
import { createTextFilter } from "./text-filter.ts";

export type Fetch = typeof globalThis.fetch;

const MAX_ANSWER_BYTES = 64 * 1_048_576;
const MAX_ERROR_BYTES = 1_048_576;
const KEY_HEADERS = ["authorization", "x-api-key", "x-goog-api-key"];

/** Receives the response of an attempt. */
export interface Watcher {
  onBytes(): void;
  /** Called with text that the vendor's package does not get. */
  onDelta(delta: TextDelta): void;
  /** Called when the answer has ended and consists only of text: the package gets nothing. Null: the package gets the end. */
  readonly onEnd: ((end: StreamEnd) => void) | null;
}

/** By the signal of the request. */
export type Watchers = WeakMap<AbortSignal, Watcher>;

export interface WatchOptions {
  readonly hasKey: boolean;
  readonly watchers: Watchers;
  readonly pace: StreamPace;
  /** Null: only the vendor's package can parse the stream. */
  readonly format: FrameFormat | null;
}

/**
 * A fetch for one provider. Reports received bytes, limits the size of the response, follows no redirect (it would receive the
 * key), and sends no empty key. Resolves when the response has bytes for the vendor's package, and never when it has none.
 */
export function watchFetch(send: Fetch, { hasKey, watchers, pace, format }: WatchOptions): Fetch {
  return async (input, init) => {
    const watcher = init?.signal ? watchers.get(init.signal) : undefined;
    const response = await send(input, {
      ...init,
      ...(!hasKey && { headers: withoutKeys(init?.headers) }),
      redirect: "error",
    });
    if (response.body === null) return response;
    const { status, statusText, ok } = response;
    const body = openBody(
      {
        stream: response.body,
        maxBytes: ok ? MAX_ANSWER_BYTES : MAX_ERROR_BYTES,
        format: ok ? format : null,
        signal: init?.signal ?? null,
      },
      watcher ?? NO_WATCHER,
      pace,
    );
    const stream = await startStream(body);
    if (stream === null) return await new Promise<Response>(() => {});
    return new Response(stream, { status, statusText, headers: response.headers });
  };
}

function withoutKeys(given: RequestInit["headers"]): Headers {
  const headers = new Headers(given);
  for (const name of KEY_HEADERS) headers.delete(name);
  return headers;
}

const NO_WATCHER: Watcher = { onBytes: () => {}, onDelta: () => {}, onEnd: null };

interface Body {
  readonly stream: ReadableStream<Uint8Array>;
  readonly maxBytes: number;
  readonly format: FrameFormat | null;
  readonly signal: AbortSignal | null;
}

interface WatchedBody {
  /** The next bytes for the package; null at the end. */
  next(): Promise<Uint8Array | null>;
  /** The watcher got the whole answer. */
  readonly isConsumed: boolean;
  cancel(reason: unknown): Promise<void>;
}

function openBody({ stream, maxBytes, format, signal }: Body, watcher: Watcher, pace: StreamPace): WatchedBody {
  const { onEnd } = watcher;
  const reader = stream.getReader();
  const filter =
    format === null
      ? null
      : createTextFilter(format.readDelta, (delta) => watcher.onDelta(delta), onEnd === null ? null : format.readEnd);
  const leave = pace.enter();
  // An aborted reader does not read to the end.
  signal?.addEventListener("abort", leave, { once: true });
  let left = maxBytes;
  let isOver = false;
  let isConsumed = false;
  const close = (): Uint8Array | null => {
    isOver = true;
    signal?.removeEventListener("abort", leave);
    leave();
    const rest = filter?.end() ?? null;
    const end = filter?.streamEnd ?? null;
    if (end !== null && onEnd !== null) {
      isConsumed = true;
      onEnd(end);
    }
    return rest;
  };
  const read = async (): Promise<Uint8Array | null> => {
    while (!isOver) {
      const pauseMs = left === maxBytes ? 0 : pace.pauseMs();
      if (pauseMs > 0) await sleep(pauseMs);
      const { done, value } = await reader.read();
      if (done) return close();
      watcher.onBytes();
      left -= value.byteLength;
      if (left < 0) {
        await reader.cancel();
        throw new Error("the answer is too large");
      }
      const passed = filter === null ? value : filter.push(value);
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
    get isConsumed() {
      return isConsumed;
    },
    cancel: (reason) => {
      leave();
      return reader.cancel(reason);
    },
  };
}

/** Resolves with the first bytes. Null: the package gets none. */
async function startStream(body: WatchedBody): Promise<ReadableStream<Uint8Array> | null> {
  let first: Promise<Uint8Array | null> | null = body.next();
  // The stream reports the error when it is read.
  await first.catch(() => {});
  if (body.isConsumed) return null;
  return new ReadableStream<Uint8Array>(
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
}
