import type { Event } from "@ag-ui/core";
import type { EndedRun, PendingApproval, Run, RunStreamEvent } from "@swarmbase/sdk";
import type { ExtensionContext } from "swarmbase/extension";

type WithPlainType<E> = E extends { type: infer Type extends string } ? Omit<E, "type"> & { type: `${Type}` } : never;
/** An event without the enumeration of the package, which is loaded with the first request. */
export type AgUiEvent = WithPlainType<Event>;

export interface EventConverter {
  convert(event: RunStreamEvent): readonly AgUiEvent[];
  /** The end of a run that waits for approvals or for the client. */
  convertWaiting(run: Run): readonly AgUiEvent[];
}

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

interface OpenTurn {
  readonly stepName: string;
  readonly agentName: string;
  /** The part that is being written. */
  part: { readonly type: "text" | "reasoning"; readonly id: string } | null;
}

interface CallData {
  readonly tool_execution_id: string;
  readonly tool_name: string;
  readonly input?: unknown;
}

/** Translates the events of a run. The protocol wants every message and step closed at the end. */
export function createEventConverter({ threadId, runId, connectUrl, ...known }: ConverterOptions): EventConverter {
  const calls = new Set(known.knownCalls);
  const results = new Set(known.knownResults);
  const turns = new Map<string, OpenTurn>();
  let parts = 0;

  const closePart = (turn: OpenTurn | undefined): AgUiEvent[] => {
    if (turn === undefined || turn.part === null) return [];
    const { type, id: messageId } = turn.part;
    turn.part = null;
    if (type === "text") return [{ type: "TEXT_MESSAGE_END", messageId }];
    return [
      { type: "REASONING_MESSAGE_END", messageId },
      { type: "REASONING_END", messageId },
    ];
  };
  const closeTurn = (turnId: string): AgUiEvent[] => {
    const turn = turns.get(turnId);
    if (turn === undefined) return [];
    turns.delete(turnId);
    const { stepName } = turn;
    return [...closePart(turn), ...(stepName === "" ? [] : [{ type: "STEP_FINISHED" as const, stepName }])];
  };
  const closeAll = (): AgUiEvent[] => [...turns.keys()].flatMap(closeTurn);
  /** A turn that continues after a pause has no start in this response. */
  const turnOf = (turnId: string): OpenTurn => {
    const turn = turns.get(turnId) ?? { stepName: "", agentName: "", part: null };
    turns.set(turnId, turn);
    return turn;
  };
  const write = (type: "text" | "reasoning", turnId: string, messageId: string, delta: string): AgUiEvent[] => {
    const turn = turnOf(turnId);
    if (delta === "") return [];
    const content = (id: string): AgUiEvent =>
      type === "text"
        ? { type: "TEXT_MESSAGE_CONTENT", messageId: id, delta }
        : { type: "REASONING_MESSAGE_CONTENT", messageId: id, delta };
    if (turn.part?.type === type) return [content(turn.part.id)];
    const closed = closePart(turn);
    parts += 1;
    // A message can have several parts, with tool calls between them.
    const id = `${messageId}:${runId}:${parts}`;
    turn.part = { type, id };
    const name = turn.agentName === "" ? {} : { name: turn.agentName };
    const start: AgUiEvent[] =
      type === "text"
        ? [{ type: "TEXT_MESSAGE_START", messageId: id, role: "assistant", ...name }]
        : [
            { type: "REASONING_START", messageId: id },
            { type: "REASONING_MESSAGE_START", messageId: id, role: "reasoning" },
          ];
    return [...closed, ...start, content(id)];
  };
  const introduce = ({ tool_execution_id: toolCallId, tool_name: toolCallName, input }: CallData): AgUiEvent[] => {
    if (calls.has(toolCallId)) return [];
    calls.add(toolCallId);
    return [
      { type: "TOOL_CALL_START", toolCallId, toolCallName },
      { type: "TOOL_CALL_ARGS", toolCallId, delta: JSON.stringify(input ?? {}) },
      { type: "TOOL_CALL_END", toolCallId },
    ];
  };
  const finishCall = (data: CallData & { readonly turn_id: string }, content: string): AgUiEvent[] => {
    const { tool_execution_id: toolCallId } = data;
    const events = [...closePart(turns.get(data.turn_id)), ...introduce(data)];
    if (results.has(toolCallId)) return events;
    results.add(toolCallId);
    const messageId = `${toolCallId}:result`;
    return [...events, { type: "TOOL_CALL_RESULT", messageId, toolCallId, content, role: "tool" }];
  };
  const nameStep = (agentName: string): string => {
    const taken = new Set([...turns.values()].map(({ stepName }) => stepName));
    let name = agentName;
    for (let number = 2; taken.has(name); number += 1) name = `${agentName} (${number})`;
    return name;
  };
  const finish = (run: EndedRun): AgUiEvent[] => {
    const { status, errors, usage, stop_reason, run_id, swarm_id } = run;
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
      return [...closeAll(), { type: "RUN_ERROR", message, code: error?.code ?? String(stop_reason), ...used }];
    }
    const outcome = status === "cancelled" ? ({ type: "cancelled" } as const) : ({ type: "success" } as const);
    const result = { run_id, swarm_id, status, stop_reason };
    return [...closeAll(), { type: "RUN_FINISHED", threadId, runId, outcome, result, ...used }];
  };

  return {
    convert(event) {
      switch (event.type) {
        case "turn.started": {
          const { turn_id: turnId, agent_name: agentName } = event.data;
          const stepName = nameStep(agentName);
          turns.set(turnId, { stepName, agentName, part: null });
          return [{ type: "STEP_STARTED", stepName }];
        }
        case "message.delta":
          return write("text", event.data.turn_id, event.data.message_id, event.data.delta);
        case "reasoning.delta":
          return write("reasoning", event.data.turn_id, event.data.message_id, event.data.delta ?? "");
        // What was streamed cannot be taken back; the new text becomes a message of its own.
        case "message.reset":
          return closePart(turns.get(event.data.turn_id));
        case "turn.restarted": {
          const { turn_id: turnId, message_id: messageId, text } = event.data;
          return [...closePart(turns.get(turnId)), ...write("text", turnId, messageId, text)];
        }
        case "tool.started":
          return [...closePart(turns.get(event.data.turn_id)), ...introduce(event.data)];
        case "tool.executed":
          return finishCall(event.data, event.data.output_preview ?? "");
        case "tool.error":
          return finishCall(event.data, JSON.stringify({ error: event.data.error }));
        case "agent.error": {
          const { agent_id, error } = event.data;
          return [
            { type: "CUSTOM", name: "agent.error", value: { agent_id, code: error.code, message: error.message } },
          ];
        }
        case "run.queued":
          return [{ type: "CUSTOM", name: "run.queued", value: { position: event.data.position } }];
        case "turn.completed":
          return closeTurn(event.data.turn_id);
        case "run.completed":
        case "run.partial":
        case "run.failed":
        case "run.cancelled":
          return finish(event.data);
        default:
          return [];
      }
    },
    convertWaiting({ pending_approvals, pending_client_calls, pending_waits, run_id, swarm_id, status, stop_reason }) {
      const approvals = pending_approvals ?? [];
      const clientCalls = pending_client_calls ?? [];
      const interrupts = approvals.map((call) => {
        const { tool_execution_id: id, expires_at: expiresAt } = call;
        return { id, toolCallId: id, ...describeInterrupt(call, connectUrl(call)), ...(expiresAt && { expiresAt }) };
      });
      const pendingToolCallIds = clientCalls.map(({ tool_execution_id: id }) => id);
      const outcome =
        interrupts.length > 0
          ? ({ type: "interrupt", interrupts } as const)
          : ({ type: "success", pendingToolCallIds } as const);
      const result = { run_id, swarm_id, status, stop_reason, ...(pending_waits && { pending_waits }) };
      return [
        ...closeAll(),
        ...[...approvals, ...clientCalls].flatMap(introduce),
        { type: "RUN_FINISHED", threadId, runId, outcome, result },
      ];
    },
  };
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
