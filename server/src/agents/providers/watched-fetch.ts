import { setTimeout as sleep } from "node:timers/promises";
import type { FrameReader, PlainWords } from "./plain-words.ts";
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
}

/** Known by the signal that goes along with the request. */
export type Watchers = WeakMap<AbortSignal, Watcher>;

export interface WatchOptions {
  readonly hasKey: boolean;
  readonly watchers: Watchers;
  readonly pace: StreamPace;
  /** How plain words are told from the rest of a stream; null: by the vendor's package alone. */
  readonly readFrame: FrameReader | null;
}

/**
 * The way to one provider: tells when bytes come, bounds them, follows no redirect (a key would go along), and sends no
 * empty key where none is configured.
 */
export function watchFetch(way: Way, { hasKey, watchers, pace, readFrame }: WatchOptions): Fetch {
  return async (input, init) => {
    const watcher = init?.signal ? watchers.get(init.signal) : undefined;
    const headers = new Headers(init?.headers);
    if (!hasKey) for (const name of KEY_HEADERS) headers.delete(name);
    const response = await way.fetch(input, { ...init, headers, redirect: "error" });
    if (response.body === null) return response;
    const { status, statusText, ok } = response;
    const body = {
      stream: response.body,
      most: ok ? MAX_ANSWER_BYTES : MAX_REFUSAL_BYTES,
      readFrame: ok ? readFrame : null,
      signal: init?.signal ?? null,
    };
    return new Response(watchBody(body, watcher ?? NOBODY, pace), { status, statusText, headers: response.headers });
  };
}

const NOBODY: Watcher = { onBytes: () => {}, onWords: () => {} };

interface WatchedBody {
  readonly stream: ReadableStream<Uint8Array>;
  readonly most: number;
  readonly readFrame: FrameReader | null;
  readonly signal: AbortSignal | null;
}

function watchBody(
  { stream, most, readFrame, signal }: WatchedBody,
  watcher: Watcher,
  pace: StreamPace,
): ReadableStream<Uint8Array> {
  const reader = stream.getReader();
  const filter = readFrame === null ? null : createWordFilter(readFrame, (words) => watcher.onWords(words));
  const leave = pace.enter();
  // Who gives an answer up in the middle reads no more of it, and so would not notice its end.
  signal?.addEventListener("abort", leave, { once: true });
  let left = most;
  const close = (controller: ReadableStreamDefaultController<Uint8Array>): void => {
    leave();
    const rest = filter?.end() ?? null;
    if (rest !== null) controller.enqueue(rest);
    controller.close();
  };
  const pull = async (controller: ReadableStreamDefaultController<Uint8Array>): Promise<void> => {
    for (;;) {
      const restMs = left === most ? 0 : pace.restMs();
      if (restMs > 0) await sleep(restMs);
      const { done, value } = await reader.read();
      if (done) return close(controller);
      watcher.onBytes();
      left -= value.byteLength;
      if (left < 0) {
        await reader.cancel();
        throw new Error("the answer is too large");
      }
      const passed = filter === null ? value : filter.push(value);
      if (passed !== null) return controller.enqueue(passed);
    }
  };
  return new ReadableStream<Uint8Array>(
    {
      pull: (controller) =>
        pull(controller).catch((error: unknown) => {
          leave();
          throw error;
        }),
      cancel: (reason) => {
        leave();
        return reader.cancel(reason);
      },
    },
    { highWaterMark: 0 },
  );
}
