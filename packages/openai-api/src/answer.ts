import { type EndedRun, invokeFunction, respond, type RespondBody, type Run, type RunStream } from "@swarmbase/sdk";
import type { ExtensionCore } from "swarmbase/extension";
import type { Ask } from "./ask.ts";
import { type ClientCall, type ContinuedRun, continueRun, findWaitingRun, readClientCalls } from "./client-calls.ts";
import { invalid, RequestFault } from "./errors.ts";
import { loadTarget } from "./target.ts";
import { createTurnOrder, type TextPart } from "./turn-order.ts";

export type Usage = Run["usage"];
export type FinishReason = "stop" | "length" | "content_filter";

/** What an answer consists of, for both forms of the API. `calls` or `end` is the last part. */
export type Part =
  | TextPart
  /** Instead of `end`: the caller has to execute these. */
  | { readonly type: "calls"; readonly calls: readonly ClientCall[]; readonly usage: Usage }
  | {
      readonly type: "end";
      readonly finish: FinishReason;
      readonly status: "completed" | "cancelled" | "incomplete";
      readonly usage: Usage;
    };

export interface Answer {
  /** Null until the run has started. */
  readonly runId: string | null;
  readonly parts: AsyncGenerator<Part, void, undefined>;
}

interface Call {
  readonly core: ExtensionCore;
  /** Aborted when the client disconnects. */
  readonly signal: AbortSignal;
  readonly idempotencyKey: string | undefined;
}

/** Asks the agent or the swarm. A client that disconnects cancels the run of an agent; the run of a swarm has other readers. */
export async function openAnswer(ask: Ask, call: Call): Promise<Answer> {
  const { core } = call;
  const target = await loadTarget(core, ask.target);
  const isBuffered = target.isStructured || ask.responseSchema !== null;
  const isLabelled = target.kind === "swarm" && target.agentCount > 1;
  const { stream, seenIds, usageBefore } = await openRun(ask, call);
  return {
    get runId() {
      return stream.runId;
    },
    parts: cancelledOnLeave(
      call,
      ask,
      stream,
      readParts(core, stream, { isBuffered, isLabelled, seenIds, usageBefore }),
    ),
  };
}

/** Starts a run, or continues the one that waits for the results of the request. */
async function openRun(ask: Ask, { core, signal, idempotencyKey }: Call): Promise<OpenedRun> {
  const waiting = await findWaitingRun(core, ask.results);
  if (waiting !== null)
    return {
      ...(await continueRun(core, waiting, ask.results, signal)),
      seenIds: new Set(ask.results.map(({ id }) => id)),
    };
  const options = { signal, ...(idempotencyKey !== undefined && { idempotencyKey }) };
  return { stream: respond(core, toRespondBody(ask), options), seenIds: new Set(), usageBefore: null };
}

interface OpenedRun extends ContinuedRun {
  /** The calls that the client has executed. Events before them were a part of earlier answers. */
  readonly seenIds: Set<string>;
}

/** The body of the call that starts the run, without the members that say how it is answered. */
export function toRespondBody(ask: Ask): RespondBody {
  const { target, messages, lastUserText, responseSchema, metadata } = ask;
  const common = {
    ...(responseSchema !== null && { response_schema: { ...responseSchema } }),
    ...(metadata !== null && { metadata: { ...metadata } }),
    ...(ask.clientTools.length > 0 && { client_tools: ask.clientTools }),
  };
  if (target.kind === "agent")
    return { agent_id: target.id, messages, store: ask.isStored, settings: ask.settings, ...common };
  if (lastUserText === null) throw invalid("messages", "must have a message of the user");
  return { swarm_id: target.id, message: lastUserText, ...common };
}

interface ReadOptions extends Pick<OpenedRun, "seenIds" | "usageBefore"> {
  /** Text is held back until the turn has ended, because it can be discarded until then. */
  readonly isBuffered: boolean;
  /** Each text begins with the name of its agent. */
  readonly isLabelled: boolean;
}

async function* readParts(
  core: ExtensionCore,
  stream: RunStream,
  { isBuffered, isLabelled, seenIds, usageBefore }: ReadOptions,
): AsyncGenerator<Part, void, undefined> {
  const order = createTurnOrder({ isBuffered, isLabelled });
  for await (const event of stream) {
    switch (event.type) {
      case "turn.started":
        order.start(event.data.turn_id, event.data.agent_name);
        break;
      case "message.delta":
        if (seenIds.size === 0) yield* order.add(event.data.turn_id, event.data.delta);
        break;
      case "tool.client_call": {
        const isEarlier = seenIds.size > 0;
        seenIds.delete(event.data.tool_execution_id);
        const waiting = isEarlier ? null : await readClientCalls(core, event.data.run_id);
        if (waiting === null) break;
        yield* order.endAll();
        yield { type: "calls", calls: waiting.calls, usage: subtractUsage(waiting.usage, usageBefore) };
        return;
      }
      case "message.reset":
        order.reset(event.data.turn_id);
        break;
      case "turn.completed":
        yield* order.end(event.data.turn_id);
        break;
      case "run.completed":
      case "run.partial":
      case "run.failed":
      case "run.cancelled":
        yield* order.endAll();
        yield await readEnd(core, event.data, usageBefore);
        return;
      default:
    }
  }
  // The events are deleted after a while; the run says how it ended.
  yield await readEnd(core, await stream.result(), usageBefore);
}

async function readEnd(core: ExtensionCore, run: EndedRun | Run, usageBefore: Usage | null): Promise<Part> {
  // Text that broke off must not look like an answer.
  if (run.status === "failed" || run.responses.at(-1)?.finish_reason === "error") await throwFailure(core, run);
  const finish = finishOf(run);
  const status = run.status === "cancelled" ? "cancelled" : finish === "stop" ? "completed" : "incomplete";
  return { type: "end", finish, status, usage: subtractUsage(run.usage, usageBefore) };
}

/** Each answer reports its own part of the usage of a run, so that their sum is right. */
function subtractUsage(usage: Usage, before: Usage | null): Usage {
  if (before === null) return usage;
  return {
    ...usage,
    input_tokens: usage.input_tokens - before.input_tokens,
    cached_input_tokens: usage.cached_input_tokens - before.cached_input_tokens,
    output_tokens: usage.output_tokens - before.output_tokens,
    total_tokens: usage.total_tokens - before.total_tokens,
  };
}

async function throwFailure(core: ExtensionCore, { run_id, errors, stop_reason }: EndedRun | Run): Promise<never> {
  // Throws the status and code of a run in which no agent could answer.
  await invokeFunction(core, "agent-respond", { action: "attach", run_id });
  const { message, code } = errors[0] ?? {
    message: `The answer is not complete: ${stop_reason}`,
    code: "PROVIDER_ERROR",
  };
  throw new RequestFault(message, { status: 502, code });
}

function finishOf({ responses, stop_reason: reason }: Pick<Run, "responses" | "stop_reason">): FinishReason {
  const last = responses.at(-1)?.finish_reason;
  if (reason === "content_filtered" || last === "content_filter") return "content_filter";
  return last === "length" || last === "budget_exceeded" || last === "timeout" ? "length" : "stop";
}

async function* cancelledOnLeave(
  { core, signal }: Call,
  { target }: Ask,
  stream: RunStream,
  parts: AsyncGenerator<Part, void, undefined>,
): AsyncGenerator<Part, void, undefined> {
  try {
    yield* parts;
  } finally {
    if (signal.aborted && target.kind === "agent" && stream.runId !== null)
      await invokeFunction(core, "agent-respond", { action: "cancel", run_id: stream.runId }).catch(() => {});
  }
}
