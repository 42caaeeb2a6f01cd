import {
  type EndedRun,
  invokeFunction,
  listWaitingCalls,
  respond,
  type RespondBody,
  type Run,
  type RunStream,
} from "@swarmbase/sdk";
import { AppError, type ExtensionCore } from "swarmbase/extension";
import type { Ask } from "./ask.ts";
import {
  type ClientCall,
  continueRun,
  findWaitingRun,
  NO_TOKENS,
  readClientCalls,
  type Tokens,
  type WaitingRun,
} from "./client-calls.ts";
import { invalid } from "./errors.ts";
import { type TextPart, TurnOrder, type TurnOrderOptions } from "./turn-order.ts";

/** The last part of an answer. */
export interface End {
  readonly type: "end";
  /** `waiting`: the run goes on when a time has come or it gets a signal. */
  readonly finish: "stop" | "length" | "content_filter" | "tool_calls" | "waiting";
  readonly isCancelled: boolean;
  /** The caller has to execute these; empty unless `finish` is `tool_calls`. */
  readonly calls: readonly ClientCall[];
  readonly usage: Tokens;
}

/** What an answer consists of, for both forms of the API. */
export interface Answer {
  /** Null until the run has started. */
  readonly runId: string | null;
  readonly parts: AsyncGenerator<TextPart | End, void, undefined>;
}

interface Call {
  readonly core: ExtensionCore;
  /** Aborted when the client disconnects. */
  readonly signal: AbortSignal;
  readonly idempotencyKey: string | undefined;
}

/** Asks the agent or the swarm. A client that disconnects cancels the run of an agent; the run of a swarm has other readers. */
export async function openAnswer(ask: Ask, call: Call): Promise<Answer> {
  const { core, signal, idempotencyKey } = call;
  const { target } = ask;
  const waiting = await findWaitingRun(core, ask.results);
  const options = { signal, ...(idempotencyKey !== undefined && { idempotencyKey }) };
  const stream =
    waiting === null ? respond(core, toRespondBody(ask), options) : await continueRun(core, waiting, signal);
  const parts = readParts(core, stream, waiting, {
    // Only what was passed on to a stream cannot be replaced.
    isBuffered: !ask.isStreamed || target.isStructured || ask.responseSchema !== null,
    isLabelled: target.kind === "swarm" && target.agentCount > 1,
  });
  return {
    get runId() {
      return stream.runId;
    },
    parts: cancelledOnLeave(call, ask, stream, parts),
  };
}

/** The body of the call that starts the run, without the members that say how it is answered. */
export function toRespondBody(ask: Ask): RespondBody {
  const { target, messages, lastUserText, responseSchema, metadata, swarmId } = ask;
  const common = {
    ...(responseSchema !== null && { response_schema: { ...responseSchema } }),
    ...(metadata !== null && { metadata: { ...metadata } }),
    ...(ask.images.length > 0 && { images: ask.images }),
    ...(ask.clientTools.length > 0 && { client_tools: ask.clientTools, tool_choice: ask.toolChoice }),
  };
  if (swarmId !== null) {
    const message = ask.said.map(({ content }) => content).join("\n\n");
    return { swarm_id: swarmId, message, agent_ids: [target.id], ...common };
  }
  const converse = { agent_id: target.id, settings: ask.settings, ...common };
  if (target.isForeign) {
    const isSaid = ask.said.at(-1)?.role === "user";
    return { ...converse, messages: isSaid ? ask.said : messages, conversation: "continue" };
  }
  if (target.kind === "agent") return { ...converse, messages, store: ask.isStored };
  if (lastUserText === null) throw invalid("messages", "must have a message of the user");
  return { swarm_id: target.id, message: lastUserText, ...common };
}

async function* readParts(
  core: ExtensionCore,
  stream: RunStream,
  waiting: WaitingRun | null,
  options: TurnOrderOptions,
): Answer["parts"] {
  const order = new TurnOrder(options);
  // Events before the calls that the client has executed were a part of earlier answers.
  const seenIds = new Set(waiting?.callIds);
  let hasTurns = false;
  for await (const event of stream) {
    switch (event.type) {
      case "turn.started":
        hasTurns = true;
        order.start(event.data.turn_id, event.data.agent_name);
        break;
      case "message.delta":
        if (seenIds.size === 0) yield* order.add(event.data.turn_id, event.data.delta);
        break;
      case "tool.client_call": {
        const isEarlier = seenIds.size > 0;
        seenIds.delete(event.data.tool_execution_id);
        const next = isEarlier ? null : await readClientCalls(core, event.data.run_id);
        if (next === null) break;
        yield* order.end();
        const usage = subtract(next.usage, waiting?.before);
        yield { type: "end", finish: "tool_calls", isCancelled: false, calls: next.calls, usage };
        return;
      }
      case "tool.waiting": {
        // Nobody holds a connection for days.
        const { run_id, tool_execution_id: id } = event.data;
        const run = await invokeFunction(core, "agent-respond", { action: "attach", run_id });
        if (run.status !== "waiting" || !listWaitingCalls(run).includes(id)) break;
        yield* order.end();
        const usage = subtract(run.usage, waiting?.before);
        yield { type: "end", finish: "waiting", isCancelled: false, calls: [], usage };
        return;
      }
      case "message.reset":
        order.reset(event.data.turn_id);
        break;
      case "turn.restarted":
        if (seenIds.size === 0) yield* order.restart(event.data.turn_id, event.data.text);
        break;
      case "turn.completed":
        yield* order.end(event.data.turn_id);
        break;
      case "run.completed":
      case "run.partial":
      case "run.failed":
      case "run.cancelled":
        yield* order.end();
        if (!hasTurns) yield* readStoredTexts(order, event.data);
        yield await readEnd(core, event.data, waiting);
        return;
      default:
    }
  }
  const run = await stream.result();
  if (!hasTurns) yield* readStoredTexts(order, run);
  yield await readEnd(core, run, waiting);
}

/** The events of a run are deleted after a while. Its messages stay. */
function* readStoredTexts(order: TurnOrder, { responses }: EndedRun | Run): Generator<TextPart> {
  for (const { turn_id: turnId, agent_name: name, message } of responses) {
    order.start(turnId, name);
    yield* order.add(turnId, message.content ?? "");
    yield* order.end(turnId);
  }
}

async function readEnd(core: ExtensionCore, run: EndedRun | Run, waiting: WaitingRun | null): Promise<End> {
  const { status, responses, stop_reason: reason } = run;
  const last = responses.at(-1)?.finish_reason ?? "";
  // Text that broke off must not look like an answer.
  if (status === "failed" || last === "error") await throwFailure(core, run);
  const isFiltered = reason === "content_filtered" || last === "content_filter";
  const isCut = ["length", "budget_exceeded", "timeout"].includes(last);
  return {
    type: "end",
    finish: isFiltered ? "content_filter" : isCut ? "length" : "stop",
    isCancelled: status === "cancelled",
    calls: [],
    usage: subtract(run.usage, waiting?.before),
  };
}

/** Each answer reports its own part of the usage of a run, so that their sum is right. */
function subtract(usage: Tokens | null, before: Tokens = NO_TOKENS): Tokens {
  const { input_tokens, cached_input_tokens, output_tokens } = usage ?? NO_TOKENS;
  return {
    input_tokens: input_tokens - before.input_tokens,
    cached_input_tokens: cached_input_tokens - before.cached_input_tokens,
    output_tokens: output_tokens - before.output_tokens,
  };
}

async function throwFailure(core: ExtensionCore, { run_id, errors, stop_reason }: EndedRun | Run): Promise<never> {
  // Throws the status and code of a run in which no agent could answer.
  await invokeFunction(core, "agent-respond", { action: "attach", run_id });
  const { message = `The answer is not complete: ${stop_reason}`, code = "PROVIDER_ERROR" } = errors[0] ?? {};
  throw new AppError("PROVIDER_ERROR", message, { foreign: { code, status: 502 } });
}

async function* cancelledOnLeave(
  { core, signal, idempotencyKey }: Call,
  { target, swarmId }: Ask,
  stream: RunStream,
  parts: Answer["parts"],
): Answer["parts"] {
  try {
    yield* parts;
  } finally {
    // A conversation keeps the message: a client that repeats the call gets the answer.
    const isConversation = target.isForeign || swarmId !== null;
    const isKept = target.kind === "swarm" || (isConversation && idempotencyKey !== undefined);
    if (signal.aborted && !isKept && stream.runId !== null)
      await invokeFunction(core, "agent-respond", { action: "cancel", run_id: stream.runId }).catch(() => {});
  }
}
