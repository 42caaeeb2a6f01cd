import type { InferUIMessageChunk } from "ai";
import type { RunStreamEvent, RunStreamEventOf } from "../client/run-stream-event.ts";
import type { EndedRun, PendingApproval, Run } from "../function-types/run-answers.ts";
import type { SwarmUIMessage } from "./swarm-ui-message.ts";

export type Chunk = InferUIMessageChunk<SwarmUIMessage>;

type PartType = "text" | "reasoning";
type ToolEvent = RunStreamEventOf<"tool.started" | "tool.executed" | "tool.error">;
type ToolError = RunStreamEventOf<"tool.error">["data"];
type CallData = Pick<ToolEvent["data"], "tool_execution_id" | "tool_name" | "input">;

/** Translates the events of a run. */
export class ChunkConverter {
  readonly #tools: Set<string>;
  /** The open text and reasoning parts of each turn. */
  readonly #open = new Map<string, { readonly type: PartType; readonly id: string }>();
  #partCount = 0;

  /** `knownTools` are the tool calls that the message has already. */
  constructor(knownTools: Iterable<string>) {
    this.#tools = new Set(knownTools);
  }

  convert(event: RunStreamEvent): readonly Chunk[] {
    switch (event.type) {
      case "turn.started": {
        const { turn_id: turnId, message_id: messageId, agent_id: agentId, agent_name: agentName, model } = event.data;
        const data = { turnId, messageId, agentId, agentName, model };
        return [{ type: "start-step" }, { type: "data-turn", id: turnId, data }];
      }
      case "message.delta":
        return this.#write("text", event.data.turn_id, event.data.message_id, event.data.delta);
      // A part that was streamed cannot be taken back; the new text becomes a part of its own.
      case "message.reset":
        return this.#close(event.data.turn_id);
      case "turn.restarted": {
        const { turn_id: turnId, message_id: messageId, text } = event.data;
        return [...this.#close(turnId), ...(text === "" ? [] : this.#write("text", turnId, messageId, text))];
      }
      case "reasoning.delta":
        return this.#write("reasoning", event.data.turn_id, event.data.message_id, event.data.delta ?? "");
      case "tool.started":
        return this.#introduce(event.data);
      case "tool.executed": {
        const { tool_execution_id: toolCallId, output_preview: output = null } = event.data;
        return [...this.#introduce(event.data), { type: "tool-output-available", toolCallId, output, dynamic: true }];
      }
      case "tool.error":
        return [...this.#introduce(event.data), describeToolError(event.data)];
      case "agent.error": {
        const { turn_id: turnId, agent_id: agentId, error } = event.data;
        const data = { turnId, agentId, code: error.code, message: error.message };
        return [{ type: "data-error", id: turnId, data }];
      }
      case "turn.completed":
        return [...this.#close(event.data.turn_id), { type: "finish-step" }];
      case "run.completed":
      case "run.partial":
      case "run.failed":
      case "run.cancelled":
        return finish(event.data);
      // The calls that a run waits for come from the run.
      case "tool.approval_required":
      case "tool.client_call":
      case "tool.waiting":
      case "message.created":
      case "run.queued":
      case "run.started":
      case "agent.status_changed":
      case "done":
      case "warnings":
      default:
        return [];
    }
  }

  /** The tool calls that a run waits for. */
  convertWaiting({ status, pending_approvals: approvals, pending_client_calls: calls }: Run): readonly Chunk[] {
    return [
      ...[...this.#open.keys()].flatMap((turnId) => this.#close(turnId)),
      // Nothing asks the user: only this says that the answer goes on later.
      ...(status === "waiting" ? [{ type: "message-metadata" as const, messageMetadata: { status } }] : []),
      ...(calls ?? []).flatMap((call) => this.#describe(call, true)),
      ...(approvals ?? []).flatMap((call) => this.#askFor(call)),
    ];
  }

  #write(type: PartType, turnId: string, messageId: string, delta: string): Chunk[] {
    const part = this.#open.get(turnId);
    if (part?.type === type) return [{ type: `${type}-delta`, id: part.id, delta }];
    const closed = this.#close(turnId);
    this.#partCount += 1;
    const id = `${messageId}:${this.#partCount}`;
    this.#open.set(turnId, { type, id });
    return [...closed, { type: `${type}-start`, id }, { type: `${type}-delta`, id, delta }];
  }

  #close(turnId: string): Chunk[] {
    const part = this.#open.get(turnId);
    this.#open.delete(turnId);
    return part === undefined ? [] : [{ type: `${part.type}-end`, id: part.id }];
  }

  #introduce(data: ToolEvent["data"]): Chunk[] {
    return [...this.#close(data.turn_id), ...this.#describe(data, false)];
  }

  /** Once for each call: the same again would undo the answer to its approval. */
  #describe({ tool_execution_id: id, tool_name, input }: CallData, isOfClient: boolean): Chunk[] {
    if (this.#tools.has(id)) return [];
    this.#tools.add(id);
    const call = { toolCallId: id, toolName: tool_name, input: input ?? null, dynamic: true } as const;
    // Without the mark, the chat would execute the call.
    return [{ type: "tool-input-available", ...call, ...(!isOfClient && { providerExecuted: true }) }];
  }

  #askFor(call: PendingApproval): Chunk[] {
    const { tool_execution_id: id, question } = call;
    // A call that is known has been answered before, and waits again only with a question.
    if (this.#tools.has(id) && question === undefined) return [];
    return [
      ...this.#describe(call, false),
      ...(question === undefined ? [] : [{ type: "data-question" as const, id, data: { toolCallId: id, question } }]),
      { type: "tool-approval-request", approvalId: id, toolCallId: id },
    ];
  }
}

function describeToolError({ tool_execution_id: toolCallId, status, error }: ToolError): Chunk {
  return status === "denied"
    ? { type: "tool-output-denied", toolCallId }
    : { type: "tool-output-error", toolCallId, errorText: error.message, dynamic: true };
}

function finish({ status, stop_reason: stopReason, responses, errors, seq }: EndedRun): Chunk[] {
  const messageMetadata = { status, stopReason, lastEventId: seq };
  if (status === "cancelled")
    return [
      { type: "message-metadata", messageMetadata },
      { type: "abort", reason: stopReason ?? status },
    ];
  const isFailed = status === "failed" && responses.length === 0;
  return [
    ...(isFailed ? [{ type: "error" as const, errorText: errors[0]?.message ?? "No agent could answer" }] : []),
    { type: "finish", finishReason: isFailed ? "error" : "stop", messageMetadata },
  ];
}
