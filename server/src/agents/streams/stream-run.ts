import { RUN_STREAM_EVENT_TYPES } from "@swarmbase/sdk";
import type { RunEvent } from "./stream-hub.ts";
import type { Subscriber, Viewer } from "./subscriber.ts";
import { isEndEvent, type RunBody } from "./run-body.ts";

const PING = ": ping\n\n";
const PING_INTERVAL_MS = 10_000;
/** The maximum value of the column. When the events of a run are deleted, the seq of its `done` is not known. */
const MAX_SEQ = 2_147_483_647;

interface StreamOptions {
  /** Events that the admission returned, so they need not be read. */
  readonly first: readonly RunEvent[];
  readonly isReasoningWanted: boolean;
  /** For a run whose last event is no longer stored. */
  readBody(): Promise<RunBody | null>;
  /** Called when the reader disconnects before the end of the run. */
  onLeft(): Promise<void>;
}

/** The event stream of a run: frames as events arrive, a ping every ten seconds, and `done` at the end. */
export async function* streamRun(
  subscriber: Subscriber,
  options: StreamOptions,
): AsyncGenerator<string, void, undefined> {
  const render = (events: readonly RunEvent[]): string =>
    events
      .filter(({ type }) => options.isReasoningWanted || type !== "reasoning.delta")
      .map((event) => renderServerSentEvent(hidePayload(event, subscriber.viewer)))
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
 * The end of a run that is over and has no stored events after the cursor: `done`, unless the reader has seen it. Events are
 * deleted after a day; then only the end of the run is known.
 */
async function renderEnd(subscriber: Subscriber, readBody: StreamOptions["readBody"]): Promise<string> {
  const { runId, cursor } = subscriber;
  const lastSeq = await subscriber.readLastSeq();
  const doneSeq = lastSeq === null ? MAX_SEQ : lastSeq + 1;
  if (cursor >= doneSeq) return "";
  const body = lastSeq === null && cursor < doneSeq - 1 ? await readBody() : null;
  const end =
    body === null ? "" : renderServerSentEvent({ runId, seq: doneSeq - 1, type: `run.${body.status}`, data: body });
  return end + renderDone(runId, doneSeq);
}

/** Has its own seq, so that a reader that attaches after it gets nothing more. */
function renderDone(runId: string, seq: number): string {
  return renderServerSentEvent({ runId, seq, type: "done", data: {} });
}

const STREAM_HEADERS = {
  "content-type": "text/event-stream; charset=utf-8",
  "cache-control": "no-cache, no-transform",
  "x-accel-buffering": "no",
} as const;

export function streamHeaders(headers: Readonly<Record<string, string>>): Record<string, string> {
  return { ...headers, ...STREAM_HEADERS };
}

/** One server-sent event. JSON escapes line breaks, so the text cannot end the frame. */
export function renderServerSentEvent({
  seq,
  type,
  runId,
  data,
}: Pick<RunEvent, "seq" | "type" | "runId" | "data">): string {
  return `id: ${seq}\nevent: ${type}\ndata: ${JSON.stringify({ ...data, run_id: runId, seq })}\n\n`;
}

/** A restricted event of a newer release may have any member that must not be seen. */
const KNOWN_TYPES: ReadonlySet<string> = new Set(RUN_STREAM_EVENT_TYPES);

/**
 * Only the owner of the agent and managers of the swarm see the input and output of tools and the reasoning of models. The user
 * whose client executes a call sees its input.
 */
export function hidePayload(event: RunEvent, { userId, isManager, ownAgentIds }: Viewer): RunEvent {
  const { isRestricted, agentId, type, data } = event;
  if (type === "tool.client_call" && userId !== null && data["user_id"] === userId) return event;
  if (!isRestricted || isManager || (agentId !== null && ownAgentIds.includes(agentId))) return event;
  if (!KNOWN_TYPES.has(type)) return { ...event, data: {} };
  const { input: _input, output_preview: _output, delta: _thought, ...shown } = data;
  return { ...event, data: shown };
}
