import { isRecord } from "../../json/index.ts";
import type { ModelToolCall } from "../providers/model-port.ts";
import { chargedUserOf, type LiveRun } from "../run/live-run.ts";
import type { LiveCall, TurnEnd, WaitingCall } from "../run/turn-state.ts";
import { toClientOutcome } from "../tools/client/client-tools.ts";
import { readAssignment } from "../tools/input/assignment.ts";
import type {
  AssignedTool,
  CallableTool,
  ToolAnswers,
  ToolFault,
  ToolOutcome,
  ToolResponse,
} from "../tools/tool-port.ts";
import { RunStop, stopOf } from "../writer/run-stop.ts";
import type { StepResult, ToolExecution } from "../writer/steps.ts";
import type { Turn } from "./turn.ts";

const TOO_MANY_CALLS: ToolFault = {
  code: "RATE_LIMITED",
  message: "Too many tool calls in this minute.",
  retryable: true,
};

/** Calls a tool of the agent or of the call, or has it wait for an approval or the client. */
export async function useTool(run: LiveRun, turn: Turn, call: ModelToolCall, tool: CallableTool): Promise<WaitingCall> {
  const { ports, context, limits } = run;
  run.toolCallCount += 1;
  if (run.toolCallCount > limits.maxToolCalls) {
    turn.mustAnswer = true;
    return rejectCall(call, "TOOL_LIMIT", "No further tool calls are allowed in this run: answer with what you have.");
  }
  const execution: ToolExecution = {
    id: ports.newId(),
    turn_id: turn.id,
    agent_id: turn.agent.id,
    tool_id: tool.id,
    tool_name: tool.name,
    tool_call_id: call.id,
    input: null,
    approver: tool.approver,
    acts_for_starter: tool.acts_for_starter,
    ...(tool.kind === "swarm" && { is_swarm: true }),
  };
  const checked = ports.tools.checkInput(tool, call.inputText);
  const use = { call, tool };
  if (!checked.ok) return rejectTool(run, turn, use, { execution, input: call.inputText }, checked.fault);
  const known = { ...execution, input: checked.input };
  if (tool.requires_approval) return { kind: "approval", call, execution: known };
  const userId = chargedUserOf(context);
  if (userId !== null && !((await ports.charge.tool(userId)) && (await chargeSubTask(run, tool, userId))))
    return rejectTool(run, turn, use, { execution, input: checked.input }, TOO_MANY_CALLS);
  const { fixed, maxOutputChars } = readAssignment(tool);
  // The client calls the tool, so it needs the fixed arguments too.
  if (tool.kind === "client" || !isAssigned(tool))
    return { kind: "client", call, execution: { ...known, input: { ...checked.input, ...fixed } }, maxOutputChars };
  return await executeTool(run, turn, call, tool, known);
}

/** The first answer of a sub-task counts like that of any other run, and is rejected like it. */
async function chargeSubTask({ ports }: LiveRun, { kind }: CallableTool, userId: string): Promise<boolean> {
  return kind !== "swarm" || (await ports.charge.answer(userId));
}

function isAssigned(tool: CallableTool): tool is AssignedTool {
  return tool.id !== null;
}

/** Stores the row before the tool runs, so that the attempt is recorded even when this process dies. */
export async function executeTool(
  run: LiveRun,
  turn: Turn,
  call: ModelToolCall,
  tool: AssignedTool,
  execution: ToolExecution,
  answers: ToolAnswers = NO_ANSWERS,
): Promise<WaitingCall> {
  const { ports, context } = run;
  noteCall(turn, { kind: "started", call, execution, answers });
  heedOutcome(run, turn.id, await run.writer.submit({ op: "start_tool", ...execution }));
  turn.signal.throwIfAborted();
  run.assertHeld();
  const span = startSpan(turn, call, execution);
  const outcome = await ports.tools.run(tool, toInput(execution.input), {
    swarmId: context.run.swarm_id,
    signal: turn.signal,
    traceparent: span.traceparent,
    executionId: execution.id,
    starter: context.run.user_id === null ? null : ports.starters.of(context.run.user_id, execution.id),
    ...(answers.rounds > 0 && { answers }),
  });
  if (outcome.status === "asking") {
    const { questions, state, held } = outcome;
    span.end({ output: questions.map(({ message }) => message).join("\n") });
    const asked = { state, responses: {}, rounds: answers.rounds + 1, ...(held !== undefined && { held }) };
    const waiting: WaitingCall = { kind: "question", call, execution, questions, answers: asked };
    noteCall(turn, waiting);
    return waiting;
  }
  if (outcome.status === "waiting") {
    const { wait } = outcome;
    span.end({ output: wait.name ?? wait.kind });
    const { maxOutputChars } = readAssignment(tool);
    const waiting: WaitingCall = { kind: "wait", call, execution, maxOutputChars, wait };
    noteCall(turn, waiting);
    return waiting;
  }
  return takeOutcome(run, turn, { call, execution, kind: tool.kind, span }, outcome);
}

const OUTCOME_UNKNOWN: ToolFault = {
  code: "TOOL_OUTCOME_UNKNOWN",
  message: "The call was interrupted. It is not known whether it took effect.",
  retryable: false,
};

/** Repeats a call whose node was lost before its outcome was recorded, if the tool allows that. Otherwise the model is told. */
export async function settleDoubt(
  run: LiveRun,
  turn: Turn,
  { call, execution, answers }: Extract<WaitingCall, { kind: "started" }>,
): Promise<WaitingCall> {
  const tool = turn.agent.tools.find(({ id }) => id === execution.tool_id);
  // A sub-task begins when the run waits for it, so none has begun.
  if (tool?.idempotent === true || tool?.kind === "swarm")
    return await executeTool(run, turn, call, tool, execution, answers);
  const rejected = rejectCall(call, OUTCOME_UNKNOWN.code, OUTCOME_UNKNOWN.message);
  noteCall(turn, rejected);
  const outcome = { status: "failed", error: OUTCOME_UNKNOWN, attempts: 1, durationMs: 0 } as const;
  recordTool(run, tool?.kind ?? "unknown", execution, outcome);
  return rejected;
}

const NO_ANSWERS: ToolAnswers = { state: null, responses: {}, rounds: 0 };

type Decision = LiveRun["context"]["decisions"][number];

/** Takes the answer of a person to the first question. Continues the call when there is no further one. */
export async function takeAnswer(
  run: LiveRun,
  turn: Turn,
  waiting: Extract<WaitingCall, { kind: "question" }>,
  { tool, answer }: { readonly tool: AssignedTool; readonly answer: unknown },
): Promise<WaitingCall> {
  const { call, execution, questions, answers } = waiting;
  const [asked, ...others] = questions;
  const response = readResponse(answer);
  const isAccepted = response.action === "accept";
  const responses: Record<string, ToolResponse> = { ...answers.responses };
  if (asked !== undefined) responses[asked.id] = response;
  if (isAccepted && others.length > 0)
    return { kind: "question", call, execution, questions: others, answers: { ...answers, responses } };
  // A person who declines one question is not asked the others.
  for (const { id } of others) responses[id] = { action: "cancel" };
  return await executeTool(run, turn, call, tool, execution, { ...answers, responses });
}

/** As private.decide_tool_executions stores it. */
function readResponse(answer: unknown): ToolResponse {
  if (!isRecord(answer) || answer["action"] !== "accept") return { action: "decline" };
  const content = answer["content"];
  return { action: "accept", content: isRecord(content) ? content : {} };
}

/** Takes the result that the client has submitted, or how a wait has ended. The row of the call has it since then. */
export function takeStoredResult(
  run: LiveRun,
  turn: Turn,
  waiting: Extract<WaitingCall, { kind: "client" | "wait" }>,
  decision: Decision,
): WaitingCall {
  const { call, execution, maxOutputChars } = waiting;
  const kind = waiting.kind === "client" ? "client" : execution.is_swarm === true ? "swarm" : "builtin";
  // The others have stored the text that the model reads.
  const output = kind === "builtin" ? JSON.stringify(decision.output) : decision.output;
  const ended = { call, execution, kind, span: startSpan(turn, call, execution) };
  return takeOutcome(run, turn, ended, toClientOutcome({ ...decision, output }, maxOutputChars));
}

/** Ends the turn when its agent may not speak any more. */
function heedOutcome(run: LiveRun, turnId: string, { outcome }: StepResult): void {
  if (outcome === "gone") run.turnControllers.get(turnId)?.abort(new RunStop("gone"));
}

type ToolSpan = ReturnType<Turn["span"]["startTool"]>;

function startSpan(turn: Turn, call: ModelToolCall, { id: executionId, tool_name: name }: ToolExecution): ToolSpan {
  return turn.span.startTool({ executionId, name, callId: call.id, inputText: call.inputText });
}

interface EndedCall {
  readonly call: ModelToolCall;
  readonly execution: ToolExecution;
  readonly kind: string;
  readonly span: ToolSpan;
}

function takeOutcome(
  run: LiveRun,
  turn: Turn,
  { call, execution, kind, span }: EndedCall,
  outcome: ToolOutcome,
): WaitingCall {
  span.end(outcome.status === "succeeded" ? { output: outcome.text } : { errorType: outcome.error.code });
  // The node that continues the run repeats the call, or tells the model that its outcome is not known.
  if (outcome.status === "cancelled" && stopOf(turn.signal) === "lost") throw new RunStop("lost");
  turn.usedTool ||= outcome.status === "succeeded";
  const answered = toAnswer(call, outcome);
  noteCall(turn, answered);
  recordTool(run, kind, execution, outcome);
  return answered;
}

function toAnswer(call: ModelToolCall, outcome: ToolOutcome): WaitingCall {
  if (outcome.status !== "succeeded") return rejectCall(call, outcome.error.code, outcome.error.message, outcome.text);
  const { text: output, images } = outcome;
  return { kind: "answered", call, output, isError: false, ...(images !== undefined && { images }) };
}

function recordTool(run: LiveRun, kind: string, execution: ToolExecution, outcome: ToolOutcome): void {
  const isDone = outcome.status === "succeeded";
  const stored = run.writer.submit({
    op: "finish_tool",
    id: execution.id,
    turn_id: execution.turn_id,
    agent_id: execution.agent_id,
    status: outcome.status,
    output: isDone ? outcome.output : null,
    output_chars: isDone ? outcome.outputChars : null,
    truncated: isDone && outcome.isTruncated,
    error: isDone ? null : outcome.error,
    attempts: outcome.attempts,
    duration_ms: Math.round(outcome.durationMs),
  });
  const heeded = stored.then((result) => heedOutcome(run, execution.turn_id, result)).catch(() => {});
  run.recorded.set(execution.turn_id, heeded);
  run.ports.observer.note("run.tool_ended", { kind, status: outcome.status });
}

function rejectTool(
  run: LiveRun,
  turn: Turn,
  { call, tool }: { readonly call: ModelToolCall; readonly tool: CallableTool },
  { execution, input }: { readonly execution: ToolExecution; readonly input: unknown },
  fault: ToolFault,
): WaitingCall {
  const rejected = rejectCall(call, fault.code, fault.message);
  noteCall(turn, rejected);
  // Both in one batch.
  void run.writer.submit({ op: "start_tool", ...execution, input });
  recordTool(run, tool.kind, execution, { status: "failed", error: fault, attempts: 0, durationMs: 0 });
  return rejected;
}

function toInput(input: unknown): Readonly<Record<string, unknown>> {
  return isRecord(input) ? { ...input } : {};
}

/** Must be called before the step that records the same is submitted, which stores the calls of the turn too. */
export function noteCall(turn: Turn, noted: LiveCall): void {
  const at = turn.calls.findIndex(({ call }) => call === noted.call);
  if (at >= 0) turn.calls[at] = noted;
}

/** `text`: the response of the tool, which only the model reads. */
export function rejectCall(call: ModelToolCall, code: string, message: string, text?: string): WaitingCall {
  const output = JSON.stringify({ error: { code, message }, ...(text !== undefined && { output: text }) });
  return { kind: "answered", call, output, isError: true };
}

export function toMemberAnswer(call: ModelToolCall, end: TurnEnd): WaitingCall {
  switch (end.kind) {
    case "suspended":
      return { kind: "member", call, turn: end.turn };
    case "gone":
      return rejectCall(call, "AGENT_NOT_FOUND", "This agent is no longer available.");
    case "finished":
      if (end.stop === "max_turns") return rejectCall(call, "MAX_TURNS", "No further agent can be asked in this run.");
      if (end.isError) return rejectCall(call, "AGENT_FAILED", "This agent could not answer.");
      return { kind: "answered", call, output: end.text === "" ? "(no answer)" : end.text, isError: false };
  }
}
