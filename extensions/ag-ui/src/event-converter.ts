import type { Event } from "@ag-ui/core";
import type { EndedRun, PendingApproval, Run, RunStreamEvent } from "@swarmbase/sdk";
import type { ExtensionContext } from "swarmbase/extension";

type WithPlainType<E> = E extends { type: infer Type extends string } ? Omit<E, "type"> & { type: `${Type}` } : never;
/** An event without the enumeration of the package, which is loaded with the first request. */
export type AgUiEvent = WithPlainType<Event>;

interface ConverterOptions extends Pick<ExtensionContext, "connectUrl"> {
  readonly threadId: string;
  /** As the client calls it. */
  readonly runId: string;
  /** Tool calls and results that the conversation has already. */
  readonly knownCalls: readonly string[];
  readonly knownResults: readonly string[];
}

const APPROVAL_SCHEMA = {
  type: "object",
  properties: { approved: { type: "boolean" }, reason: { type: "string" } },
  required: ["approved"],
};

type PartType = "text" | "reasoning";

interface OpenTurn {
  readonly stepName: string;
  readonly agentName: string;
  /** The part that is being written. */
  part: { readonly type: PartType; readonly id: string } | null;
}

interface CallData {
  readonly tool_execution_id: string;
  readonly tool_name: string;
  readonly input?: unknown;
}

/** Translates the events of a run. The protocol wants every message and step closed at the end. */
export class EventConverter {
  readonly #threadId: string;
  readonly #runId: string;
  readonly #connectUrl: ConverterOptions["connectUrl"];
  readonly #calls: Set<string>;
  readonly #results: Set<string>;
  readonly #turns = new Map<string, OpenTurn>();
  #partCount = 0;

  constructor({ threadId, runId, connectUrl, knownCalls, knownResults }: ConverterOptions) {
    this.#threadId = threadId;
    this.#runId = runId;
    this.#connectUrl = connectUrl;
    this.#calls = new Set(knownCalls);
    this.#results = new Set(knownResults);
  }

  convert(event: RunStreamEvent): readonly AgUiEvent[] {
    switch (event.type) {
      case "turn.started":
        return this.#openTurn(event.data.turn_id, event.data.agent_name);
      case "message.delta":
        return this.#write("text", event.data.turn_id, event.data.message_id, event.data.delta);
      case "reasoning.delta":
        return this.#write("reasoning", event.data.turn_id, event.data.message_id, event.data.delta ?? "");
      // What was streamed cannot be taken back; the new text becomes a message of its own.
      case "message.reset":
        return this.#closePart(event.data.turn_id);
      case "turn.restarted": {
        const { turn_id: turnId, message_id: messageId, text } = event.data;
        return [...this.#closePart(turnId), ...this.#write("text", turnId, messageId, text)];
      }
      case "tool.started":
        return [...this.#closePart(event.data.turn_id), ...this.#introduce(event.data)];
      case "tool.executed":
        return this.#finishCall(event.data, event.data.output_preview ?? "");
      case "tool.error":
        return this.#finishCall(event.data, JSON.stringify({ error: event.data.error }));
      case "agent.error": {
        const { agent_id, error } = event.data;
        return [{ type: "CUSTOM", name: "agent.error", value: { agent_id, code: error.code, message: error.message } }];
      }
      case "run.queued":
        return [{ type: "CUSTOM", name: "run.queued", value: { position: event.data.position } }];
      case "turn.completed":
        return this.#closeTurn(event.data.turn_id);
      case "run.completed":
      case "run.partial":
      case "run.failed":
      case "run.cancelled":
        return [...this.#closeAll(), this.#describeEnd(event.data)];
      default:
        return [];
    }
  }

  /** The end of a run that waits for approvals or for the client. */
  convertWaiting(run: Run): readonly AgUiEvent[] {
    const { pending_approvals, pending_client_calls, pending_waits, run_id, swarm_id, status, stop_reason } = run;
    const approvals = pending_approvals ?? [];
    const clientCalls = pending_client_calls ?? [];
    const interrupts = approvals.map((call) => {
      const { tool_execution_id: id, expires_at: expiresAt } = call;
      const interrupt = describeInterrupt(call, this.#connectUrl(call));
      return { id, toolCallId: id, ...interrupt, ...(expiresAt && { expiresAt }) };
    });
    const pendingToolCallIds = clientCalls.map(({ tool_execution_id: id }) => id);
    const outcome =
      interrupts.length > 0
        ? ({ type: "interrupt", interrupts } as const)
        : ({ type: "success", pendingToolCallIds } as const);
    const result = { run_id, swarm_id, status, stop_reason, ...(pending_waits && { pending_waits }) };
    return [
      ...this.#closeAll(),
      ...[...approvals, ...clientCalls].flatMap((call) => this.#introduce(call)),
      { type: "RUN_FINISHED", threadId: this.#threadId, runId: this.#runId, outcome, result },
    ];
  }

  #openTurn(turnId: string, agentName: string): AgUiEvent[] {
    const taken = new Set([...this.#turns.values()].map((turn) => turn.stepName));
    let stepName = agentName;
    for (let number = 2; taken.has(stepName); number += 1) stepName = `${agentName} (${number})`;
    this.#turns.set(turnId, { stepName, agentName, part: null });
    return [{ type: "STEP_STARTED", stepName }];
  }

  #write(type: PartType, turnId: string, messageId: string, delta: string): AgUiEvent[] {
    const turn = this.#turnOf(turnId);
    if (delta === "") return [];
    if (turn.part?.type === type) return [describeContent(type, turn.part.id, delta)];
    const closed = this.#closePart(turnId);
    this.#partCount += 1;
    // A message can have several parts, with tool calls between them.
    const id = `${messageId}:${this.#runId}:${this.#partCount}`;
    turn.part = { type, id };
    return [...closed, ...describeStart(type, id, turn.agentName), describeContent(type, id, delta)];
  }

  /** A turn that continues after a pause has no start in this response. */
  #turnOf(turnId: string): OpenTurn {
    const turn = this.#turns.get(turnId) ?? { stepName: "", agentName: "", part: null };
    this.#turns.set(turnId, turn);
    return turn;
  }

  #closePart(turnId: string): AgUiEvent[] {
    const turn = this.#turns.get(turnId);
    if (turn === undefined || turn.part === null) return [];
    const { type, id: messageId } = turn.part;
    turn.part = null;
    if (type === "text") return [{ type: "TEXT_MESSAGE_END", messageId }];
    return [
      { type: "REASONING_MESSAGE_END", messageId },
      { type: "REASONING_END", messageId },
    ];
  }

  #closeTurn(turnId: string): AgUiEvent[] {
    const turn = this.#turns.get(turnId);
    if (turn === undefined) return [];
    const closed = this.#closePart(turnId);
    this.#turns.delete(turnId);
    const { stepName } = turn;
    return [...closed, ...(stepName === "" ? [] : [{ type: "STEP_FINISHED" as const, stepName }])];
  }

  #closeAll(): AgUiEvent[] {
    return [...this.#turns.keys()].flatMap((turnId) => this.#closeTurn(turnId));
  }

  #introduce({ tool_execution_id: toolCallId, tool_name: toolCallName, input }: CallData): AgUiEvent[] {
    if (this.#calls.has(toolCallId)) return [];
    this.#calls.add(toolCallId);
    return [
      { type: "TOOL_CALL_START", toolCallId, toolCallName },
      { type: "TOOL_CALL_ARGS", toolCallId, delta: JSON.stringify(input ?? {}) },
      { type: "TOOL_CALL_END", toolCallId },
    ];
  }

  #finishCall(data: CallData & { readonly turn_id: string }, content: string): AgUiEvent[] {
    const { tool_execution_id: toolCallId } = data;
    const events = [...this.#closePart(data.turn_id), ...this.#introduce(data)];
    if (this.#results.has(toolCallId)) return events;
    this.#results.add(toolCallId);
    const messageId = `${toolCallId}:result`;
    return [...events, { type: "TOOL_CALL_RESULT", messageId, toolCallId, content, role: "tool" }];
  }

  #describeEnd({ status, errors, usage, stop_reason, run_id, swarm_id }: EndedRun): AgUiEvent {
    // Null where somebody else pays.
    const used = usage && {
      usage: [
        {
          inputTokens: usage.input_tokens,
          outputTokens: usage.output_tokens,
          totalTokens: usage.total_tokens,
          cachedInputTokens: usage.cached_input_tokens,
        },
      ],
    };
    if (status === "failed") {
      const [error] = errors;
      const message = error?.message ?? "No agent could answer";
      return { type: "RUN_ERROR", message, code: error?.code ?? String(stop_reason), ...used };
    }
    const outcome = status === "cancelled" ? ({ type: "cancelled" } as const) : ({ type: "success" } as const);
    const result = { run_id, swarm_id, status, stop_reason };
    return { type: "RUN_FINISHED", threadId: this.#threadId, runId: this.#runId, outcome, result, ...used };
  }
}

function describeStart(type: PartType, messageId: string, agentName: string): AgUiEvent[] {
  const name = agentName === "" ? {} : { name: agentName };
  if (type === "text") return [{ type: "TEXT_MESSAGE_START", messageId, role: "assistant", ...name }];
  return [
    { type: "REASONING_START", messageId },
    { type: "REASONING_MESSAGE_START", messageId, role: "reasoning" },
  ];
}

function describeContent(type: PartType, messageId: string, delta: string): AgUiEvent {
  return type === "text"
    ? { type: "TEXT_MESSAGE_CONTENT", messageId, delta }
    : { type: "REASONING_MESSAGE_CONTENT", messageId, delta };
}

function describeInterrupt({ tool_name: name, question }: PendingApproval, url: string | null) {
  if (question === undefined) {
    const message = `The call of ${name} needs an approval.`;
    return { reason: "tool_approval", message, responseSchema: APPROVAL_SCHEMA };
  }
  const { message, schema, server } = question;
  if (url === null) return { reason: "tool_question", message, responseSchema: schema };
  return { reason: "tool_connect", message, responseSchema: schema, metadata: { url, server } };
}
