/** So that proxies do not close a stream whose agent works for a long time. */
const PING_MS = 10_000;
const PING = ": ping\n\n";

export interface SseOptions<T> {
  render(item: T): unknown;
  /** Throws an error that has no message for the client. */
  renderFailure(error: unknown): string;
}

/** Rejects when the first item does, while the response can still be an error. */
export async function openSse<T>(
  items: AsyncGenerator<T, void, undefined>,
  { render, renderFailure }: SseOptions<T>,
): Promise<AsyncIterable<string>> {
  const first = await items.next();
  return (async function* () {
    try {
      let next = Promise.resolve(first);
      for (;;) {
        const step = await within(next, PING_MS);
        if (step === null) {
          yield PING;
          continue;
        }
        if (step.done === true) return;
        yield `data: ${JSON.stringify(render(step.value))}\n\n`;
        next = items.next();
      }
    } catch (error) {
      yield renderFailure(error);
    } finally {
      void items.return().catch(() => {});
    }
  })();
}

/** Null when the promise takes longer. */
async function within<T>(promise: Promise<T>, ms: number): Promise<T | null> {
  const due = Promise.withResolvers<null>();
  const timer = setTimeout(() => due.resolve(null), ms);
  try {
    return await Promise.race([promise, due.promise]);
  } finally {
    clearTimeout(timer);
  }
}
