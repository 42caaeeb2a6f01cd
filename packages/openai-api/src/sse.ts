const SILENCE_MS = 10_000;

export const EVENT_STREAM = {
  "content-type": "text/event-stream; charset=utf-8",
  "cache-control": "no-cache, no-transform",
  "x-accel-buffering": "no",
};

/** A comment, which clients skip: a model can think, and an approval can take, longer than a proxy waits. */
const COMMENT = ": waiting\n\n";

export function renderData(data: unknown, event?: string): string {
  return `${event === undefined ? "" : `event: ${event}\n`}data: ${JSON.stringify(data)}\n\n`;
}

interface OpenOptions {
  /** Whether the run has started; until then the response does not begin. */
  isStarted(): boolean;
  /** The frame of an error after the response has begun. */
  renderFailure(error: unknown): string;
}

/** Waits for the first frame, so that an error before it has a status; when it takes long, only for the start of the run. */
export async function openStream(
  frames: AsyncGenerator<string, void, undefined>,
  { isStarted, renderFailure }: OpenOptions,
): Promise<AsyncIterable<string>> {
  const commented = withComments(frames);
  let next = await commented.next();
  while (next.done !== true && next.value === COMMENT && !isStarted()) next = await commented.next();
  return (async function* () {
    try {
      for (; next.done !== true; next = await commented.next()) yield next.value;
    } catch (error) {
      yield renderFailure(error);
    } finally {
      await frames.return();
    }
  })();
}

/** The frames, and a comment whenever there is none for a while. */
async function* withComments(frames: AsyncGenerator<string, void, undefined>): AsyncGenerator<string, void, undefined> {
  for (;;) {
    const next = frames.next();
    for (;;) {
      const waited = await waitFor(next);
      if (waited === "silent") yield COMMENT;
      else if (waited.done === true) return;
      else {
        yield waited.value;
        break;
      }
    }
  }
}

async function waitFor<T>(next: Promise<T>): Promise<T | "silent"> {
  let timer: NodeJS.Timeout | undefined;
  const silence = new Promise<"silent">((resolve) => {
    timer = setTimeout(() => resolve("silent"), SILENCE_MS);
  });
  try {
    return await Promise.race([next, silence]);
  } finally {
    clearTimeout(timer);
  }
}
