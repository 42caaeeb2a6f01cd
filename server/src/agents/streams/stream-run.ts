import type { RunEvent } from "./stream-hub.ts";
import type { Subscriber } from "./subscriber.ts";
import { hidePayload, PING, renderFrame } from "./render-frame.ts";
import { isEndEvent, type RunBody } from "../respond/run-body.ts";

const PING_INTERVAL_MS = 10_000;
/** The highest that an event can have: of a run whose events are gone nobody knows what `done` had. */
const HIGHEST_SEQ = 2_147_483_647;

export interface StreamOptions {
  /** Events that came with the admission; nobody has to read them again. */
  readonly first: readonly RunEvent[];
  readonly isReasoningWanted: boolean;
  /** For a run whose last event is not stored any more. */
  readBody(): Promise<RunBody | null>;
  /** The reader has gone before the run had ended. */
  onLeft(): Promise<void>;
}

/** The stream of a run: frames as soon as there are any, a sign of life every ten seconds, `done` after the last. */
export async function* streamRun(
  subscriber: Subscriber,
  options: StreamOptions,
): AsyncGenerator<string, void, undefined> {
  const render = (events: readonly RunEvent[]): string =>
    events
      .filter(({ type }) => options.isReasoningWanted || type !== "reasoning.delta")
      .map((event) => renderFrame(hidePayload(event, subscriber.viewer)))
      .join("");
  try {
    if (options.first.length > 0) yield render(options.first);
    let pingAtMs = performance.now() + PING_INTERVAL_MS;
    for (;;) {
      const step = await subscriber.next(Math.max(0, pingAtMs - performance.now()));
      if (performance.now() >= pingAtMs) {
        pingAtMs = performance.now() + PING_INTERVAL_MS;
        yield PING;
      }
      switch (step.kind) {
        case "idle":
          break;
        case "events": {
          const text = render(step.events);
          const isOver = step.events.some(({ type }) => isEndEvent(type));
          if (isOver) yield text + renderDone(subscriber.runId, subscriber.cursor + 1);
          else if (text !== "") yield text;
          if (isOver) return;
          break;
        }
        case "over": {
          const text = await renderEnd(subscriber, options.readBody);
          if (text !== "") yield text;
          return;
        }
        case "left":
          return await options.onLeft();
        case "forbidden":
        case "stopping":
        case "unreachable":
          return;
      }
    }
  } finally {
    subscriber.close();
  }
}

/**
 * What a reader still gets of a run that is over and of which nothing is stored after the event it has seen last: `done`, unless
 * it has seen that too. Events are kept for a day; after that only the end of the run is known.
 */
async function renderEnd(subscriber: Subscriber, readBody: StreamOptions["readBody"]): Promise<string> {
  const { runId, cursor } = subscriber;
  const lastSeq = await subscriber.readLastSeq();
  const doneSeq = lastSeq === null ? HIGHEST_SEQ : lastSeq + 1;
  if (cursor >= doneSeq) return "";
  const body = lastSeq === null && cursor < doneSeq - 1 ? await readBody() : null;
  const end = body === null ? "" : renderFrame({ runId, seq: doneSeq - 1, type: `run.${body.status}`, data: body });
  return end + renderDone(runId, doneSeq);
}

/** Has a number of its own, so that a reader who attaches after it has seen everything. */
function renderDone(runId: string, seq: number): string {
  return renderFrame({ runId, seq, type: "done", data: {} });
}
