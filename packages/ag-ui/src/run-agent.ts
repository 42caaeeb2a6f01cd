import type { BaseEvent } from "@ag-ui/core";
import {
  attach,
  invokeFunction,
  isFunctionError,
  listWaitingCalls,
  readUntilWaiting,
  respond,
  type Run,
  type RunStreamEvent,
  submitToolResults,
} from "@swarmbase/sdk";
import { AppError, type ExtensionCore, type ExtensionRequest, type ExtensionResponse } from "swarmbase/extension";
import { type AgUiEvent, createEventConverter, type EventConverter } from "./event-converter.ts";
import { type AgentInput, readInput } from "./read-input.ts";
import type { Target } from "./target.ts";

type Reading = AsyncGenerator<RunStreamEvent, Run | null, undefined>;

/** Answers a `RunAgentInput` with the events of a run: a new one, or one that waited for its client or an approval. */
export async function runAgent(
  { body, core, headers, signal }: ExtensionRequest,
  target: Target,
): Promise<ExtensionResponse> {
  const input = await readInput(body);
  const { EventEncoder } = await import("@ag-ui/encoder");
  const encoder = new EventEncoder({ accept: headers["accept"] ?? "" });
  const events = await openEvents(core, target, input, signal);
  return {
    headers: {
      "content-type": encoder.getContentType(),
      "cache-control": "no-cache, no-transform",
      "x-accel-buffering": "no",
    },
    stream: encode(events, (event) => encoder.encodeBinary(event as unknown as BaseEvent)),
  };
}

async function* encode(
  events: AsyncIterable<AgUiEvent>,
  toBytes: (event: AgUiEvent) => Uint8Array,
): AsyncGenerator<Uint8Array, void, undefined> {
  for await (const event of events) yield toBytes(event);
}

/** Rejects while the response can still have the status of an error. */
async function openEvents(
  core: ExtensionCore,
  target: Target,
  input: AgentInput,
  signal: AbortSignal,
): Promise<AsyncIterable<AgUiEvent>> {
  const { threadId, runId, question, results, decisions } = input;
  const started: AgUiEvent = { type: "RUN_STARTED", threadId, runId, protocolVersion: "1.0" };
  const converter = createEventConverter(input);
  if (results.length + decisions.length > 0) {
    const opened = await continueRun(core, input, signal);
    if (!("first" in opened)) return toAsync([started, ...converter.convertWaiting(opened)]);
    return translate(started, converter, opened);
  }
  if (question !== null) {
    const call = { ...target, message: question, client_tools: input.clientTools, include_reasoning: true };
    const events = readUntilWaiting(core, respond(core, call, { idempotencyKey: runId, signal }));
    return translate(started, converter, { events, first: await events.next() });
  }
  if (!input.isEmpty || !("swarm_id" in target))
    throw new AppError("VALIDATION_ERROR", "The request body is not valid", {
      details: { messages: "must end with a message of the user, or with results of tools" },
    });
  const messages = await readMessages(core, target.swarm_id);
  return toAsync([
    started,
    { type: "STATE_SNAPSHOT", snapshot: input.state ?? {} },
    { type: "MESSAGES_SNAPSHOT", messages },
    { type: "RUN_FINISHED", threadId, runId, outcome: { type: "success" } },
  ]);
}

interface Opened {
  readonly events: Reading;
  readonly first: Awaited<ReturnType<Reading["next"]>>;
}

/** Submits results and decisions. Returns the run when other calls of it still wait. */
async function continueRun(core: ExtensionCore, input: AgentInput, signal: AbortSignal): Promise<Opened | Run> {
  const { decisions } = input;
  const calls = await findCalls(core, [...input.results, ...decisions]);
  const run_id = calls[0]?.run_id ?? "";
  const pendingIds = new Set(calls.filter(({ status }) => status === "pending_client").map(({ id }) => id));
  // Results of tools that the service executed are part of the conversation, too.
  const results = input.results.filter(({ tool_execution_id: id }) => pendingIds.has(id));
  if (results.length + decisions.length === 0)
    throw new AppError("TOOL_RESULT_SUBMITTED", "The tool calls no longer wait for a result");
  const waitingIds = await findWaitingCalls(core, run_id);
  const lastEventId = await findLastEvent(core, run_id);
  let run: Run | null = null;
  if (results.length > 0) run = await submitToolResults(core, { run_id, results }, { signal });
  if (decisions.length > 0)
    run = await invokeFunction(core, "agent-respond", { action: "approve", run_id, decisions }, { signal });
  // The run may wait again already, for calls that the client does not know yet.
  if (run !== null && listWaitingCalls(run).some((id) => waitingIds.has(id))) return run;
  const stream = attach(core, run_id, { lastEventId, include_reasoning: true, signal });
  const events = readUntilWaiting(core, stream, { answeredIds: waitingIds });
  return { events, first: await events.next() };
}

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

interface FoundCall {
  readonly id: string;
  readonly run_id: string;
  readonly status: string;
}

/** The tool calls that the request answers, which are of one run. The caller sees only calls of its own swarms and agents. */
async function findCalls(
  core: ExtensionCore,
  answers: readonly { readonly tool_execution_id: string }[],
): Promise<readonly FoundCall[]> {
  const ids = answers.map(({ tool_execution_id: id }) => id).filter((id) => UUID.test(id));
  const path = `/tool_executions?select=id,run_id,status&id=in.(${ids.join(",")})`;
  const rows = ids.length === 0 ? [] : ((await core.rest({ method: "GET", path })).body as readonly FoundCall[]);
  if (rows.length === 0) throw new AppError("RUN_NOT_FOUND", "No run waits for these tool calls");
  if (new Set(rows.map(({ run_id }) => run_id)).size > 1)
    throw new AppError("VALIDATION_ERROR", "The tool calls are not of one run");
  return rows;
}

async function findWaitingCalls(core: ExtensionCore, runId: string): Promise<ReadonlySet<string>> {
  const path = `/tool_executions?select=id&run_id=eq.${runId}&status=in.(pending_approval,pending_client)`;
  const rows = (await core.rest({ method: "GET", path })).body as readonly Pick<FoundCall, "id">[];
  return new Set(rows.map(({ id }) => id));
}

async function findLastEvent(core: ExtensionCore, runId: string): Promise<number> {
  const path = `/run_events?select=seq&run_id=eq.${runId}&order=seq.desc&limit=1`;
  const [row] = (await core.rest({ method: "GET", path })).body as readonly { readonly seq: number }[];
  return row?.seq ?? 0;
}

type SnapshotMessage = Extract<AgUiEvent, { type: "MESSAGES_SNAPSHOT" }>["messages"][number];

/** The stored conversation. */
async function readMessages(core: ExtensionCore, swarmId: string): Promise<SnapshotMessage[]> {
  const path = `/messages?select=id,sender_type,sender_name,content&swarm_id=eq.${encodeURIComponent(swarmId)}&deleted_at=is.null&order=seq.desc&limit=100`;
  const { body } = await core.rest({ method: "GET", path });
  const rows = body as readonly { id: string; sender_type: string; sender_name: string; content: string | null }[];
  return rows.toReversed().flatMap(({ id, sender_type: type, sender_name: name, content }): SnapshotMessage[] => {
    const text = content ?? "";
    if (type === "user") return [{ id, role: "user" as const, name, content: text }];
    return type === "agent" ? [{ id, role: "assistant" as const, name, content: text }] : [];
  });
}

async function* translate(
  started: AgUiEvent,
  converter: EventConverter,
  { events, first }: Opened,
): AsyncGenerator<AgUiEvent, void, undefined> {
  yield started;
  try {
    let step = first;
    for (; step.done !== true; step = await events.next()) yield* converter.convert(step.value);
    if (step.value !== null) yield* converter.convertWaiting(step.value);
  } catch (error) {
    if (!isFunctionError(error)) throw error;
    yield { type: "RUN_ERROR", message: error.message, code: error.code };
  } finally {
    await events.return(null);
  }
}

async function* toAsync(events: readonly AgUiEvent[]): AsyncGenerator<AgUiEvent, void, undefined> {
  yield* events;
}
