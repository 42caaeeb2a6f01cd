export type Fetch = typeof globalThis.fetch;

/** The way out that was passed in; nothing here opens one. */
export interface Way {
  readonly fetch: Fetch;
}

const MAX_ANSWER_BYTES = 64 * 1_048_576;
const MAX_REFUSAL_BYTES = 1_048_576;
const KEY_HEADERS = ["authorization", "x-api-key", "x-goog-api-key"];

/** Who waits for the bytes of an attempt, known by the signal that goes along with its request. */
export type Watchers = WeakMap<AbortSignal, () => void>;

/**
 * The way to one provider: tells when bytes come, bounds them, follows no redirect (a key would go along), and sends no
 * empty key where none is configured.
 */
export function watchFetch(way: Way, options: { readonly hasKey: boolean; readonly watchers: Watchers }): Fetch {
  return async (input, init) => {
    const onBytes = (init?.signal && options.watchers.get(init.signal)) ?? (() => {});
    const headers = new Headers(init?.headers);
    if (!options.hasKey) for (const name of KEY_HEADERS) headers.delete(name);
    const response = await way.fetch(input, { ...init, headers, redirect: "error" });
    if (response.body === null) return response;
    const most = response.ok ? MAX_ANSWER_BYTES : MAX_REFUSAL_BYTES;
    const { status, statusText } = response;
    return new Response(watchBody(response.body, most, onBytes), {
      status,
      statusText,
      headers: response.headers,
    });
  };
}

function watchBody(body: ReadableStream<Uint8Array>, most: number, onBytes: () => void): ReadableStream<Uint8Array> {
  const reader = body.getReader();
  let left = most;
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const { done, value } = await reader.read();
        if (done) return controller.close();
        onBytes();
        left -= value.byteLength;
        if (left >= 0) return controller.enqueue(value);
        await reader.cancel();
        controller.error(new Error("the answer is too large"));
      },
      cancel: (reason) => reader.cancel(reason),
    },
    { highWaterMark: 0 },
  );
}
