import type { EventFault, EventUsage } from "../event-types/shared.ts";
import type { PendingWait, RunError, ToolQuestion } from "../function-types/run-answers.ts";
import type { Json } from "../json.ts";
import type { RunStatus, RunStopReason } from "../runs.ts";
import type { RunStreamEvent, RunStreamEventOf } from "./run-stream-event.ts";

/** A tool call in a stream. Input and output are undefined if the user may not see them. */
export interface LiveToolCall {
  readonly id: string;
  readonly name: string;
  readonly agentId: string | null;
  readonly status:
    | "running"
    | "pending_approval"
    | "pending_client"
    | "waiting"
    | "succeeded"
    | "failed"
    | "denied"
    | "timed_out"
    | "cancelled";
  readonly input: Json | undefined;
  /** The first 2,000 characters. */
  readonly output: string | undefined;
  readonly error: EventFault | null;
  readonly durationMs: number | null;
  /**
   * When a call that waits for an approval counts as denied, one that waits for the client as timed out, and another wait ends. Null
   * means that it waits without end.
   */
  readonly expiresAt: string | null;
  /** What a call waits for apart from people and the client, while it waits. */
  readonly wait: ToolWait | null;
  /** What the tool asks whoever decides, while it waits. Null for other calls, and for users who may not see it. */
  readonly question: ToolQuestion | null;
}

/** With `event`: the signal that ends the wait, and who may send it. */
export type ToolWait = Pick<PendingWait, "kind" | "name" | "from">;

export interface LiveTurn {
  readonly id: string;
  readonly agentId: string | null;
  readonly agentName: string;
  /** Null for an agent that the user asks by a grant. */
  readonly model: string | null;
  /** The id of the message that the turn produces. */
  readonly messageId: string;
  readonly status: "thinking" | "responding" | "completed" | "failed" | "cancelled";
  /** The text so far. */
  readonly text: string;
  /** The reasoning so far, if the stream includes it. */
  readonly reasoning: string;
  readonly tools: readonly LiveToolCall[];
  readonly usage: EventUsage | null;
  readonly error: EventFault | null;
}

/** The state of a run, built from its stream. */
export interface LiveRun {
  readonly id: string;
  readonly swarmId: string;
  /** The id of the message that started the run, once it is known. */
  readonly questionId: string | null;
  readonly status: RunStatus;
  readonly stopReason: RunStopReason | null;
  readonly turns: readonly LiveTurn[];
  readonly usage: EventUsage | null;
  readonly errors: readonly RunError[];
  /** The event to continue after when attaching again. */
  readonly lastEventId: number;
}

/** The state of a run before its first event. */
export function beginLiveRun(id: string, swarmId: string): LiveRun {
  return {
    id,
    swarmId,
    questionId: null,
    status: "queued",
    stopReason: null,
    turns: [],
    usage: null,
    errors: [],
    lastEventId: 0,
  };
}

/** Returns the state after an event. */
export function applyRunEvent(run: LiveRun, event: RunStreamEvent): LiveRun {
  const seen = { ...run, lastEventId: Math.max(run.lastEventId, event.id ?? 0) };
  switch (event.type) {
    case "message.created":
      // The first message of a run is the question.
      return { ...seen, questionId: run.questionId ?? event.data.message.id };
    case "run.queued":
    case "run.started":
      return { ...seen, status: event.data.status };
    case "turn.started":
      return { ...seen, turns: startTurn(run.turns, event.data) };
    case "message.delta":
      return changeTurn(seen, event.data.turn_id, (turn) => ({
        ...turn,
        status: "responding",
        text: turn.text + event.data.delta,
      }));
    case "turn.restarted": {
      const { text } = event.data;
      return changeTurn(seen, event.data.turn_id, (turn) => ({ ...turn, status: "thinking", text, reasoning: "" }));
    }
    case "message.reset":
      return changeTurn(seen, event.data.turn_id, (turn) => ({ ...turn, text: "" }));
    case "reasoning.delta":
      return changeTurn(seen, event.data.turn_id, (turn) => ({
        ...turn,
        reasoning: turn.reasoning + (event.data.delta ?? ""),
      }));
    case "agent.error":
      return changeTurn(seen, event.data.turn_id, (turn) => ({ ...turn, error: event.data.error }));
    case "turn.completed": {
      const { status, usage } = event.data;
      return changeTurn(seen, event.data.turn_id, (turn) => ({ ...turn, status, usage }));
    }
    case "tool.approval_required":
    case "tool.client_call":
      return { ...changeTools(seen, event), status: "requires_action" };
    case "tool.waiting":
      return { ...changeTools(seen, event), status: seen.status === "requires_action" ? seen.status : "waiting" };
    case "tool.started":
    case "tool.executed":
    case "tool.error":
      return changeTools(seen, event);
    case "run.completed":
    case "run.partial":
    case "run.failed":
    case "run.cancelled": {
      const { status, stop_reason: stopReason, usage, errors } = event.data;
      return { ...seen, status, stopReason, usage, errors };
    }
    // Statuses of agents are those of rows; `default` is for types that a newer service may have.
    case "agent.status_changed":
    case "done":
    case "warnings":
    default:
      return seen;
  }
}

type ToolEvent = RunStreamEventOf<
  "tool.started" | "tool.approval_required" | "tool.client_call" | "tool.waiting" | "tool.executed" | "tool.error"
>;

function startTurn(
  turns: readonly LiveTurn[],
  { turn_id: id, agent_id, agent_name, model, message_id }: RunStreamEventOf<"turn.started">["data"],
): readonly LiveTurn[] {
  const turn: LiveTurn = {
    id,
    agentId: agent_id,
    agentName: agent_name,
    model,
    messageId: message_id,
    status: "thinking",
    text: "",
    reasoning: "",
    tools: [],
    usage: null,
    error: null,
  };
  // A run that continues after it waited starts its turn again.
  const isKnown = turns.some((before) => before.id === id);
  if (!isKnown) return [...turns, turn];
  return turns.map((before) => (before.id === id ? { ...before, status: "thinking" } : before));
}

function changeTurn(run: LiveRun, id: string, change: (turn: LiveTurn) => LiveTurn): LiveRun {
  return { ...run, turns: run.turns.map((turn) => (turn.id === id ? change(turn) : turn)) };
}

function changeTools(run: LiveRun, event: ToolEvent): LiveRun {
  const { data } = event;
  return changeTurn(run, data.turn_id, (turn) => {
    const before = turn.tools.find((tool) => tool.id === data.tool_execution_id);
    const tool: LiveToolCall = {
      id: data.tool_execution_id,
      name: data.tool_name,
      agentId: data.agent_id,
      status: statusOf(event),
      input: ("input" in data ? data.input : undefined) ?? before?.input,
      output: "output_preview" in data ? (data.output_preview ?? undefined) : before?.output,
      error: "error" in data ? data.error : null,
      durationMs: "duration_ms" in data ? data.duration_ms : null,
      expiresAt: "expires_at" in data ? data.expires_at : "until" in data ? data.until : null,
      wait: "kind" in data ? toWait(data) : null,
      question: "question" in data ? (data.question ?? null) : null,
    };
    const tools = before === undefined ? [...turn.tools, tool] : turn.tools.map((old) => (old === before ? tool : old));
    return { ...turn, tools };
  });
}

function toWait({ kind, name, from }: ToolWait): ToolWait {
  return { kind, ...(name !== undefined && { name }), ...(from !== undefined && { from }) };
}

function statusOf({ type, data }: ToolEvent): LiveToolCall["status"] {
  if (type === "tool.approval_required") return "pending_approval";
  if (type === "tool.client_call") return "pending_client";
  if (type === "tool.waiting") return "waiting";
  return "status" in data ? data.status : "running";
}
