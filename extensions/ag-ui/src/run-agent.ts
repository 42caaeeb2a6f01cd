import type { BaseEvent } from "@ag-ui/core";
import {
  attach,
  invokeFunction,
  isUuid,
  listWaitingCalls,
  readUntilWaiting,
  respond,
  type Run,
  type RunStreamEvent,
  submitToolResults,
  type ToolQuestion,
} from "@swarmbase/sdk";
import {
  AppError,
  type ExtensionContext,
  type ExtensionCore,
  type ExtensionRequest,
  type ExtensionResponse,
  openEventStream,
  readLastEventId,
  readRows,
  type TableRow,
  toExtensionError,
} from "swarmbase/extension";
import { type AgUiEvent, EventConverter } from "./event-converter.ts";
import { type AgentInput, readInput } from "./read-input.ts";
import { isForeign, type Target } from "./target.ts";

type Reading = AsyncGenerator<RunStreamEvent, Run | null, undefined>;

/** Answers a `RunAgentInput` with the events of a run: a new one, or one that waited for its client or an approval. */
export async function runAgent(
  { body, core, headers, signal }: ExtensionRequest,
  target: Target,
  { connectUrl }: Pick<ExtensionContext, "connectUrl">,
): Promise<ExtensionResponse> {
  const input = await readInput(body);
  const { AGUI_MEDIA_TYPE, EventEncoder } = await import("@ag-ui/encoder");
  const { accept = "" } = headers;
  // The encoder would choose the binary form for every wildcard, such as the `*/*` of fetch and curl.
  const encoder = new EventEncoder({ accept: accept.toLowerCase().includes(AGUI_MEDIA_TYPE) ? accept : "" });
  const converter = new EventConverter({ ...input, connectUrl });
  const events = await openEvents(core, { target, converter }, input, signal);
  if (encoder.getContentType() !== "text/event-stream")
    return {
      headers: { "content-type": encoder.getContentType(), "cache-control": "no-cache, no-transform" },
      stream: encode(events, (event) => encoder.encodeBinary(event as unknown as BaseEvent)),
    };
  const frames = encode(events, (event) => encoder.encodeSSE(event as unknown as BaseEvent));
  return openEventStream(frames, { renderFailure: rethrow });
}

async function* encode<Frame>(
  events: AsyncIterable<AgUiEvent>,
  render: (event: AgUiEvent) => Frame,
): AsyncGenerator<Frame, void, undefined> {
  for await (const event of events) yield render(event);
}

/** `translate` has rendered all errors that the client may see. */
function rethrow(error: unknown): never {
  throw error;
}

/** Rejects while the response can still have the status of an error. */
async function openEvents(
  core: ExtensionCore,
  { target, converter }: { readonly target: Target; readonly converter: EventConverter },
  input: AgentInput,
  signal: AbortSignal,
): Promise<AsyncIterable<AgUiEvent>> {
  const { threadId, runId, question, results, resumed } = input;
  const started: AgUiEvent = { type: "RUN_STARTED", threadId, runId, protocolVersion: "1.0" };
  if (results.length + resumed.length > 0) {
    const opened = await continueRun(core, input, signal);
    if (!("first" in opened)) return toAsync([started, ...converter.convertWaiting(opened)]);
    return translate(started, converter, opened);
  }
  if (question !== null) {
    const more = { client_tools: input.clientTools, include_reasoning: true };
    const isListed = "agent_id" in target && (await isForeign(core, target.agent_id));
    const call = isListed
      ? { ...target, messages: input.said(), conversation: "continue" as const, ...more }
      : { ...target, message: question, ...more };
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
  const { resumed } = input;
  const calls = await findCalls(core, [...input.results, ...resumed]);
  const run_id = calls[0]?.run_id ?? "";
  const pendingIds = new Set(calls.filter(({ status }) => status === "pending_client").map(({ id }) => id));
  // Results of tools that the service executed are part of the conversation, too.
  const results = input.results.filter(({ tool_execution_id: id }) => pendingIds.has(id));
  const decisions = resumed.flatMap(({ tool_execution_id: id, toDecision }) => {
    const payload = calls.find((call) => call.id === id)?.tool_execution_payloads;
    return toDecision((payload?.question ?? null) as ToolQuestion | null) ?? [];
  });
  if (results.length + resumed.length === 0)
    throw new AppError("TOOL_RESULT_SUBMITTED", "The tool calls no longer wait for a result");
  const waitingIds = await findWaitingCalls(core, run_id);
  // A sign-in has continued the run before this request.
  const lastEventId =
    decisions.length < resumed.length ? await readWait(core, run_id, calls) : await readLastEventId(core, run_id);
  let run: Run | null = null;
  if (results.length > 0) run = await submitToolResults(core, { run_id, results }, { signal });
  if (decisions.length > 0)
    run = await invokeFunction(core, "agent-respond", { action: "approve", run_id, decisions }, { signal });
  if (resumed.some(({ tool_execution_id: id }) => waitingIds.has(id)))
    run ??= await invokeFunction(core, "agent-respond", { action: "attach", run_id }, { signal });
  // The run may wait again already, for calls that the client does not know yet, or with a question.
  const decidedIds = decisions.map((decision) => decision.tool_execution_id);
  const isLeft = (id: string): boolean => waitingIds.has(id) && !decidedIds.includes(id);
  if (run !== null && listWaitingCalls(run).some(isLeft)) return run;
  const stream = attach(core, run_id, { lastEventId, include_reasoning: true, signal });
  const events = readUntilWaiting(core, stream);
  return { events, first: await events.next() };
}

type FoundCall = TableRow<"tool_executions", "id" | "run_id" | "status"> & {
  readonly tool_execution_payloads: TableRow<"tool_execution_payloads", "question"> | null;
};

/** The tool calls that the request answers, which are of one run. The caller sees only calls of its own swarms and agents. */
async function findCalls(
  core: ExtensionCore,
  answers: readonly { readonly tool_execution_id: string }[],
): Promise<readonly FoundCall[]> {
  const ids = answers.map(({ tool_execution_id: id }) => id).filter(isUuid);
  const query = `select=id,run_id,status,tool_execution_payloads(question)&id=in.(${ids.join(",")})`;
  const rows = ids.length === 0 ? [] : await readRows<FoundCall>(core, "/tool_executions", query);
  if (rows.length === 0) throw new AppError("RUN_NOT_FOUND", "No run waits for these tool calls");
  if (new Set(rows.map(({ run_id }) => run_id)).size > 1)
    throw new AppError("VALIDATION_ERROR", "The tool calls are not of one run");
  return rows;
}

/** The last event that the client has: with it the run began to wait for one of the calls. */
async function readWait(core: ExtensionCore, runId: string, calls: readonly FoundCall[]): Promise<number> {
  const query = new URLSearchParams({
    select: "seq",
    run_id: `eq.${runId}`,
    type: "eq.tool.approval_required",
    "data->>tool_execution_id": `in.(${calls.map(({ id }) => id).join(",")})`,
    order: "seq.desc",
    limit: "1",
  });
  const [event] = await readRows<{ readonly seq: number }>(core, "/run_events", query);
  return event?.seq ?? 0;
}

async function findWaitingCalls(core: ExtensionCore, runId: string): Promise<ReadonlySet<string>> {
  const query = `select=id&run_id=eq.${runId}&status=in.(pending_approval,pending_client)`;
  const rows = await readRows<Pick<FoundCall, "id">>(core, "/tool_executions", query);
  return new Set(rows.map(({ id }) => id));
}

type SnapshotMessage = Extract<AgUiEvent, { type: "MESSAGES_SNAPSHOT" }>["messages"][number];

type MessageRow = TableRow<"messages", "id" | "sender_type" | "sender_name" | "content">;

const SNAPSHOT_MESSAGES = 100;

/** The end of the stored conversation. */
async function readMessages(core: ExtensionCore, swarmId: string): Promise<SnapshotMessage[]> {
  const query = new URLSearchParams({
    select: "id,sender_type,sender_name,content",
    swarm_id: `eq.${swarmId}`,
    deleted_at: "is.null",
    order: "seq.desc",
    limit: String(SNAPSHOT_MESSAGES),
  });
  const rows = await readRows<MessageRow>(core, "/messages", query);
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
    const known = toExtensionError(error);
    if (known === null) throw error;
    yield { type: "RUN_ERROR", message: known.message, code: known.code };
  } finally {
    await events.return(null);
  }
}

async function* toAsync(events: readonly AgUiEvent[]): AsyncGenerator<AgUiEvent, void, undefined> {
  yield* events;
}
