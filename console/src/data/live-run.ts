import type { EventFault, EventUsage, Json, RunStatus, RunStopReason } from "@swarmbase/sdk";
import type { Row } from "./client.ts";
import type { StreamEvent } from "./event-stream.ts";

/** A tool call in a stream. Input and output are undefined if the user may not see them. */
export interface LiveTool {
  readonly id: string;
  readonly name: string;
  readonly agentId: string | null;
  readonly status: "running" | "pending_approval" | "succeeded" | "failed" | "denied" | "timed_out" | "cancelled";
  readonly input: Json | undefined;
  readonly output: Json | undefined;
  readonly error: EventFault | null;
  readonly durationMs: number | null;
  readonly expiresAt: string | null;
}

export interface LiveTurn {
  readonly id: string;
  readonly agentId: string | null;
  readonly agentName: string;
  readonly model: string;
  /** The id of the message that the turn produces. */
  readonly messageId: string;
  readonly status: "thinking" | "responding" | "completed" | "failed" | "cancelled";
  /** The text so far. */
  readonly text: string;
  readonly tools: readonly LiveTool[];
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
  readonly errors: readonly EventFault[];
  /** The event to continue after when attaching again. */
  readonly lastEventId: number;
  /** False while the stream is interrupted. */
  readonly isConnected: boolean;
}

const FINAL = new Set<RunStatus>(["completed", "partial", "failed", "cancelled"]);

export function hasEnded(run: { readonly status: RunStatus }): boolean {
  return FINAL.has(run.status);
}

export function beginRun(id: string, swarmId: string): LiveRun {
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
    isConnected: true,
  };
}

/** Returns the run after an event. */
export function applyRunEvent(run: LiveRun, event: StreamEvent): LiveRun {
  const seen = { ...run, lastEventId: Math.max(run.lastEventId, event.id) };
  const { data } = event;
  switch (event.type) {
    case "message.created":
      // The first message of a run is the question.
      return run.questionId === null ? { ...seen, questionId: messageOf(event)?.id ?? null } : seen;
    case "run.queued":
      return { ...seen, status: "queued" };
    case "run.started":
      return { ...seen, status: "running" };
    case "turn.started":
      return { ...seen, turns: startTurn(run.turns, data) };
    case "message.delta":
      return changeTurn(seen, data["turn_id"], (turn) => ({
        ...turn,
        status: "responding",
        text: turn.text + textOf(data["delta"]),
      }));
    case "agent.error":
      return changeTurn(seen, data["turn_id"], (turn) => ({ ...turn, error: faultOf(data["error"]) ?? turn.error }));
    case "turn.completed":
      return changeTurn(seen, data["turn_id"], (turn) => ({
        ...turn,
        status: isTurnEnd(data["status"]) ? data["status"] : "completed",
        usage: (data["usage"] as EventUsage | undefined) ?? null,
        error: faultOf(data["error"]) ?? turn.error,
      }));
    case "tool.started":
    case "tool.approval_required":
    case "tool.executed":
    case "tool.error": {
      const changed = changeTurn(seen, data["turn_id"], (turn) => ({ ...turn, tools: changeTool(turn.tools, event) }));
      return event.type === "tool.approval_required" ? { ...changed, status: "requires_action" } : changed;
    }
    case "run.completed":
    case "run.partial":
    case "run.failed":
    case "run.cancelled":
      return {
        ...seen,
        status: event.type.slice("run.".length) as RunStatus,
        stopReason: (data["stop_reason"] as RunStopReason | undefined) ?? null,
        usage: (data["usage"] as EventUsage | undefined) ?? null,
        errors: Array.isArray(data["errors"]) ? (data["errors"] as EventFault[]) : [],
      };
    default:
      return seen;
  }
}

/** The message of a `message.created` event, otherwise null. */
export function messageOf({ type, data }: StreamEvent): Row<"messages"> | null {
  if (type !== "message.created") return null;
  const { message } = data;
  return typeof message === "object" && message !== null && "id" in message ? (message as Row<"messages">) : null;
}

function startTurn(turns: readonly LiveTurn[], data: StreamEvent["data"]): readonly LiveTurn[] {
  const id = textOf(data["turn_id"]);
  // A run that continues after an approval starts its turn again.
  if (turns.some((turn) => turn.id === id))
    return turns.map((turn) => (turn.id === id ? { ...turn, status: "thinking" } : turn));
  const turn: LiveTurn = {
    id,
    agentId: (data["agent_id"] as string | null | undefined) ?? null,
    agentName: textOf(data["agent_name"]),
    model: textOf(data["model"]),
    messageId: textOf(data["message_id"]),
    status: "thinking",
    text: "",
    tools: [],
    usage: null,
    error: null,
  };
  return [...turns, turn];
}

function changeTurn(run: LiveRun, id: unknown, change: (turn: LiveTurn) => LiveTurn): LiveRun {
  return { ...run, turns: run.turns.map((turn) => (turn.id === id ? change(turn) : turn)) };
}

function changeTool(tools: readonly LiveTool[], { type, data }: StreamEvent): readonly LiveTool[] {
  const id = textOf(data["tool_execution_id"]);
  const before = tools.find((tool) => tool.id === id);
  const tool: LiveTool = {
    id,
    name: textOf(data["tool_name"]),
    agentId: (data["agent_id"] as string | null | undefined) ?? null,
    status: toolStatusOf(type, data["status"]),
    input: (data["input"] as Json | undefined) ?? before?.input,
    output: typeof data["output_preview"] === "string" ? data["output_preview"] : before?.output,
    error: faultOf(data["error"]),
    durationMs: typeof data["duration_ms"] === "number" ? data["duration_ms"] : null,
    expiresAt: typeof data["expires_at"] === "string" ? data["expires_at"] : null,
  };
  return before === undefined ? [...tools, tool] : tools.map((old) => (old.id === id ? tool : old));
}

function toolStatusOf(type: string, status: unknown): LiveTool["status"] {
  if (type === "tool.started") return "running";
  if (type === "tool.approval_required") return "pending_approval";
  if (typeof status === "string") return status as LiveTool["status"];
  return type === "tool.executed" ? "succeeded" : "failed";
}

function isTurnEnd(status: unknown): status is "completed" | "failed" | "cancelled" {
  return status === "completed" || status === "failed" || status === "cancelled";
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}

function faultOf(value: unknown): EventFault | null {
  return typeof value === "object" && value !== null && "message" in value ? (value as EventFault) : null;
}
