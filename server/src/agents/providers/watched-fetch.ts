import { setTimeout as sleep } from "node:timers/promises";
import type { FrameFormat, PlainEnd, PlainWords } from "./plain-words.ts";
import type { StreamPace } from "./stream-pace.ts";
import { createWordFilter } from "./word-filter.ts";

export type Fetch = typeof globalThis.fetch;

/** The way out that was passed in; nothing here opens one. */
export interface Way {
  readonly fetch: Fetch;
}

const MAX_ANSWER_BYTES = 64 * 1_048_576;
const MAX_REFUSAL_BYTES = 1_048_576;
const KEY_HEADERS = ["authorization", "x-api-key", "x-goog-api-key"];

/** Who waits for the answer to an attempt. */
export interface Watcher {
  onBytes(): void;
  /** Words that the vendor's package does not get to see. */
  onWords(words: PlainWords): void;
  /** The answer is over and was nothing but words: the package does not get to see any of it. Null: it has to. */
  readonly onEnd: ((end: PlainEnd) => void) | null;
}

/** Known by the signal that goes along with the request. */
export type Watchers = WeakMap<AbortSignal, Watcher>;

export interface WatchOptions {
  readonly hasKey: boolean;
  readonly watchers: Watchers;
  readonly pace: StreamPace;
  /** How plain words are told from the rest of a stream; null: by the vendor's package alone. */
  readonly format: FrameFormat | null;
}

/**
 * The way to one provider: tells when bytes come, bounds them, follows no redirect (a key would go along), and sends no
 * empty key where none is configured. Does not answer before there is something for the vendor's package in the answer, and
 * so never where there is nothing.
 */
export function watchFetch(way: Way, { hasKey, watchers, pace, format }: WatchOptions): Fetch {
  return async (input, init) => {
    const watcher = init?.signal ? watchers.get(init.signal) : undefined;
    const response = await way.fetch(input, {
      ...init,
      ...(!hasKey && { headers: withoutKeys(init?.headers) }),
      redirect: "error",
    });
    if (response.body === null) return response;
    const { status, statusText, ok } = response;
    const body = openBody(
      {
        stream: response.body,
        most: ok ? MAX_ANSWER_BYTES : MAX_REFUSAL_BYTES,
        format: ok ? format : null,
        signal: init?.signal ?? null,
      },
      watcher ?? NOBODY,
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

const NOBODY: Watcher = { onBytes: () => {}, onWords: () => {}, onEnd: null };

interface Body {
  readonly stream: ReadableStream<Uint8Array>;
  readonly most: number;
  readonly format: FrameFormat | null;
  readonly signal: AbortSignal | null;
}

interface WatchedBody {
  /** What comes next for the package; null: nothing any more. */
  next(): Promise<Uint8Array | null>;
  /** Whoever waits for the answer was told all of it. */
  readonly isTold: boolean;
  cancel(reason: unknown): Promise<void>;
}

function openBody({ stream, most, format, signal }: Body, watcher: Watcher, pace: StreamPace): WatchedBody {
  const { onEnd } = watcher;
  const reader = stream.getReader();
  const filter =
    format === null
      ? null
      : createWordFilter(format.readWords, (words) => watcher.onWords(words), onEnd === null ? null : format.readEnd);
  const leave = pace.enter();
  // Who gives an answer up in the middle reads no more of it, and so would not notice its end.
  signal?.addEventListener("abort", leave, { once: true });
  let left = most;
  let isOver = false;
  let isTold = false;
  const close = (): Uint8Array | null => {
    isOver = true;
    signal?.removeEventListener("abort", leave);
    leave();
    const rest = filter?.end() ?? null;
    const end = filter?.plainEnd ?? null;
    if (end !== null && onEnd !== null) {
      isTold = true;
      onEnd(end);
    }
    return rest;
  };
  const read = async (): Promise<Uint8Array | null> => {
    while (!isOver) {
      const restMs = left === most ? 0 : pace.restMs();
      if (restMs > 0) await sleep(restMs);
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
    get isTold() {
      return isTold;
    },
    cancel: (reason) => {
      leave();
      return reader.cancel(reason);
    },
  };
}

/** Begins once there is something in it. Null: there never will be. */
async function startStream(body: WatchedBody): Promise<ReadableStream<Uint8Array> | null> {
  let first: Promise<Uint8Array | null> | null = body.next();
  // What goes wrong on the way is told as the fault of an answer that has begun, which it is.
  await first.catch(() => {});
  if (body.isTold) return null;
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
