import type { ExtensionResponse } from "./route-port.ts";

/** Models can think, and people decide about approvals, for longer than proxies keep a silent connection. */
const SILENCE_MS = 10_000;
/** Clients skip comments. */
const COMMENT = ": waiting\n\n";

const HEADERS = {
  "content-type": "text/event-stream; charset=utf-8",
  "cache-control": "no-cache, no-transform",
  "x-accel-buffering": "no",
};

export interface EventStreamOptions {
  /** Further headers. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Whether the response may begin with a comment when the first frame takes long. Default: it never does. */
  isStarted?(): boolean;
  /** The last frame, for an error after the response has begun. What it throws cuts the response off. */
  renderFailure(error: unknown): string;
}

/**
 * A response of server-sent events, with a comment whenever there is no frame for a while. Waits for the first frame: an error
 * before it rejects, so that it has a status.
 */
export async function openEventStream(
  frames: AsyncGenerator<string, void, undefined>,
  { headers = {}, isStarted = () => false, renderFailure }: EventStreamOptions,
): Promise<ExtensionResponse> {
  const commented = withComments(frames);
  let step = await commented.next();
  while (step.done !== true && step.value === COMMENT && !isStarted()) step = await commented.next();
  return { headers: { ...HEADERS, ...headers }, stream: readOn(step, { frames, commented, renderFailure }) };
}

interface Reading extends Pick<EventStreamOptions, "renderFailure"> {
  readonly frames: AsyncGenerator<string, void, undefined>;
  readonly commented: AsyncGenerator<string, void, undefined>;
}

async function* readOn(
  first: IteratorResult<string, void>,
  { frames, commented, renderFailure }: Reading,
): AsyncGenerator<string, void, undefined> {
  try {
    for (let step = first; step.done !== true; step = await commented.next()) yield step.value;
  } catch (error) {
    yield renderFailure(error);
  } finally {
    await frames.return();
  }
}

async function* withComments(frames: AsyncGenerator<string, void, undefined>): AsyncGenerator<string, void, undefined> {
  for (;;) {
    const next = frames.next();
    let step = await withinSilence(next);
    for (; step === null; step = await withinSilence(next)) yield COMMENT;
    if (step.done === true) return;
    yield step.value;
  }
}

/** Null when the promise takes longer. */
async function withinSilence<T>(promise: Promise<T>): Promise<T | null> {
  const silence = Promise.withResolvers<null>();
  const timer = setTimeout(() => silence.resolve(null), SILENCE_MS);
  try {
    return await Promise.race([promise, silence.promise]);
  } finally {
    clearTimeout(timer);
  }
}
