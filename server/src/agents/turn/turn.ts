import { isRecord } from "../../json/index.ts";
import type { Context } from "../context/build-context.ts";
import { NO_READINGS, type Readings } from "./check-input.ts";
import { guardrailsOf } from "../guardrails/guardrail.ts";
import { createRepeatGuard, type RepeatGuard } from "../strategies/loops.ts";
import type { ModelMessage, ModelUsage, ModelWarning } from "../providers/model-port.ts";
import type { TurnSpan } from "../tracing.ts";
import type { CallRecord, ModelCaller } from "../model/call-model.ts";
import type { PromptedTurn } from "../model/record-prompt.ts";
import type { DeltaSource } from "../writer/event-sequencer.ts";
import { grantOf, type LiveRun } from "../run/live-run.ts";
import type { ModelCallRow, SpeakingAgent, Step } from "../writer/steps.ts";
import { countUnchanged } from "./turn-images.ts";
import type { LiveCall, StoredTurn, TurnEnd } from "../run/turn-state.ts";

/** The state of a turn. */
export interface Turn extends StoredTurn, PromptedTurn {
  readonly agent: SpeakingAgent;
  readonly source: DeltaSource;
  readonly signal: AbortSignal;
  readonly span: TurnSpan;
  readonly checkRepeat: RepeatGuard;
  readonly startedAtMs: number;
  system: string;
  /** The last message of the swarm that the turn could read. */
  readonly lastSeq: number;
  /** The number of swarm messages in the context. */
  contextCount: number;
  /** The number of model messages that the context has; those after it belong to the turn. */
  contextLength: number;
  /** The maximum number of messages in the context, once the model has rejected a longer one. */
  contextLimit: number | null;
  /** The latest summary that the agent has of the conversation. */
  summary: SpeakingAgent["summary"];
  /** The messages of the swarm that the context has neither as messages nor in a summary. */
  leftOut: Context["trimmed"];
  /** What the agent reads instead of messages that a guardrail changed or excluded. */
  readings: Readings;
  /** The text of the model calls that are complete. */
  settledText: string;
  /** The tool calls of the last model call, while they are answered. */
  calls: LiveCall[];
  /** Not null when the turn has ended. */
  end: TurnEnd | null;
  /** Those that no submitted step has. */
  modelCalls: ModelCallRow[];
  isResponding: boolean;
  mustAnswer: boolean;
  /** The model must answer because it has called a tool with the same input too often. */
  isLooping: boolean;
  /** The model was told why its answer does not satisfy the response_schema. It gets one such attempt. */
  isRepairing: boolean;
  usedTool: boolean;
  hasExpired: boolean;
  /** Its prompts have results that only the starter of the run reads, so they are not recorded. */
  isPrivate: boolean;
}

type NewTurn = Pick<Turn, "id" | "messageId" | "position" | "agent" | "asked">;

export function createTurn(run: LiveRun, { id, messageId, position, agent, asked }: NewTurn): Turn {
  const controller = new AbortController();
  run.turnControllers.set(id, controller);
  return {
    id,
    messageId,
    position,
    agent: asked === null ? withRequest(run, agent) : agent,
    asked,
    source: { turnId: id, messageId, agentId: agent.id },
    signal: AbortSignal.any([run.signal, controller.signal]),
    span: run.span.startTurn({
      turnId: id,
      agentId: agent.id,
      agentName: agent.name,
      framework: agent.framework,
      model: agent.model,
    }),
    checkRepeat: createRepeatGuard(),
    startedAtMs: run.ports.clock.now().getTime(),
    system: "",
    lastSeq: run.transcript.at(-1)?.seq ?? 0,
    messages: [],
    contextCount: 0,
    contextLength: 0,
    contextLimit: null,
    summary: agent.summary,
    leftOut: null,
    readings: NO_READINGS,
    sources: [],
    promptedTools: null,
    promptedCount: 0,
    promptedHash: null,
    settledText: "",
    calls: [],
    end: null,
    modelCalls: [],
    text: "",
    isWithheld: guardrailsOf(run, agent.id, "output").length > 0,
    isResponding: false,
    firstTokenMs: null,
    toolSteps: 0,
    mustAnswer: false,
    isLooping: false,
    isRepairing: false,
    usedTool: false,
    hasExpired: false,
    isPrivate: false,
    framework: agent.framework,
    model: agent.model ?? "default",
    attempts: 0,
    warnings: [],
    usage: null,
    costUsd: 0,
    reservationIds: [],
  };
}

/**
 * The schema, the settings and the instructions of the call take precedence. Agents that another agent asks answer that agent,
 * not the caller. An agent that answers by a grant is as its owner has made it, also if it joined the swarm after the call was admitted.
 */
function withRequest({ context }: LiveRun, agent: SpeakingAgent): SpeakingAgent {
  if (grantOf(context, agent.id) !== null) return agent;
  const { settings, instructions, response_schema: schema } = context.run.request;
  const prompts = [agent.system_prompt, instructions].filter((text) => typeof text === "string" && text.trim() !== "");
  return {
    ...agent,
    ...(typeof instructions === "string" && { system_prompt: prompts.join("\n\n") }),
    settings: {
      ...agent.settings,
      ...(isRecord(settings) && settings),
      ...(isRecord(schema) && { response_schema: schema }),
    },
  };
}

/** Takes messages of which some have lost their images, which the next recorded prompt repeats. */
export function replaceMessages(turn: Turn, messages: ModelMessage[]): void {
  turn.promptedCount = Math.min(turn.promptedCount, countUnchanged(turn.messages, messages));
  turn.messages = messages;
}

/** Every call of a turn has the same settings and the same warnings about them. */
export function warnOnce(turn: Turn, warning: ModelWarning): void {
  const isKnown = turn.warnings.some(
    ({ setting, message }) => setting === warning.setting && message === warning.message,
  );
  if (!isKnown) turn.warnings.push(warning);
}

/** Adds text that every reader may see, at once or after it was checked. Text before and after a tool call is separated into paragraphs. */
export function emitText(run: LiveRun, turn: Turn, text: string): void {
  if (text === "") return;
  turn.text += text;
  if (turn.isWithheld !== true) run.writer.delta("message.delta", turn.source, text);
  if (turn.isResponding) return;
  turn.firstTokenMs ??= run.ports.clock.now().getTime() - turn.startedAtMs;
  submitStatus(run, turn, { status: "responding", reason: "first_token", first_token_ms: turn.firstTokenMs });
}

/** Stores the model calls so far with the next step. The end of the turn stores the others. */
export function submitModelCalls(run: LiveRun, turn: Turn): void {
  const { id, agent, modelCalls } = turn;
  if (modelCalls.length === 0) return;
  turn.modelCalls = [];
  void run.writer.submit({
    op: "add_model_calls",
    turn_id: id,
    model_agent_id: agent.id,
    model_calls: modelCalls,
  });
}

type TextReset = Pick<Extract<Step, { op: "reset_text" }>, "reason" | "error">;

/** Discards the text of the turn so far. Readers get an event, because the deltas that follow begin a new text. */
export function resetText(run: LiveRun, turn: Turn, { reason, error }: TextReset): void {
  turn.text = "";
  turn.settledText = "";
  if (turn.isWithheld === true) return;
  void run.writer.submit({
    op: "reset_text",
    turn_id: turn.id,
    message_id: turn.messageId,
    agent_id: turn.agent.id,
    reason,
    error,
  });
}

export function returnToThinking(run: LiveRun, turn: Turn): void {
  if (turn.isResponding) submitStatus(run, turn, { status: "thinking", reason: "tool_call", first_token_ms: null });
}

type TurnStatus = Pick<Extract<Step, { op: "turn_status" }>, "status" | "reason" | "first_token_ms">;

function submitStatus(run: LiveRun, turn: Turn, status: TurnStatus): void {
  turn.isResponding = status.status === "responding";
  void run.writer.submit({ op: "turn_status", turn_id: turn.id, agent_id: turn.agent.id, ...status });
}

/** The calls of models that a turn makes or has made for it. */
export function callerOf(turn: Turn): ModelCaller & Pick<Turn, "agent"> {
  const { id: turnId, agent, span } = turn;
  return { agent, turnId, startChat: span.startChat, record: (calls) => recordInTurn(turn, calls) };
}

/** The end of the turn records the usage of all its calls together. */
export function recordInTurn(turn: Turn, { spent, reservationId, modelCalls }: CallRecord): void {
  if (spent !== null) {
    if (reservationId !== null) turn.reservationIds.push(reservationId);
    turn.usage = addUsage(turn.usage, spent.usage);
    turn.costUsd = turn.costUsd === null || spent.costUsd === null ? null : turn.costUsd + spent.costUsd;
  }
  turn.modelCalls.push(...modelCalls);
}

function addUsage(one: ModelUsage | null, other: ModelUsage): ModelUsage {
  if (one === null) return other;
  return {
    inputTokens: one.inputTokens + other.inputTokens,
    cachedInputTokens: one.cachedInputTokens + other.cachedInputTokens,
    outputTokens: one.outputTokens + other.outputTokens,
    reasoningTokens: one.reasoningTokens + other.reasoningTokens,
    isEstimated: one.isEstimated || other.isEstimated,
  };
}
