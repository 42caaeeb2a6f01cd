import type { Framework } from "@swarmbase/sdk";
import { isRecord } from "../../json/index.ts";
import { createEchoStripper, type EchoStripper } from "../context/echo-stripper.ts";
import { NO_READINGS, type Readings } from "../guardrails/check-input.ts";
import { guardrailsOf } from "../guardrails/guardrail.ts";
import { createRepeatGuard, type RepeatGuard } from "../guards/loops.ts";
import type { ModelImage, ModelMessage, ModelToolCall, ModelUsage, ModelWarning } from "../providers/model-port.ts";
import type { ToolAnswers, ToolQuestion } from "../tools/tool-port.ts";
import type { TurnSpan } from "../tracing.ts";
import type { DeltaSource } from "../execution/event-sequencer.ts";
import type { LiveRun, TurnStop } from "../execution/live-run.ts";
import { dropImages } from "./turn-images.ts";
import type { ModelCallRow, SpeakingAgent, Step, ToolExecution } from "../execution/steps.ts";

/** The part of a turn's state that is stored while the turn waits. */
interface StoredTurn {
  readonly id: string;
  readonly messageId: string;
  readonly position: number;
  /** Not null when the coordinator asked for this turn. */
  readonly asked: AskedTurn | null;
  system: string;
  messages: ModelMessage[];
  text: string;
  /** Readers do not see the text before it was checked. Absent in rows of earlier versions. */
  isWithheld?: boolean;
  firstTokenMs: number | null;
  toolSteps: number;
  /** Of the provider that answered last, which can be a fallback. */
  framework: Framework;
  model: string;
  attempts: number;
  warnings: (ModelWarning | { readonly setting: string; readonly message: string; readonly messageCount: number })[];
  usage: ModelUsage | null;
  costUsd: number | null;
  /** Of calls whose usage is recorded with the end of the turn. */
  readonly reservationIds: string[];
}

/** The state of a turn. */
export interface Turn extends StoredTurn {
  readonly agent: SpeakingAgent;
  readonly source: DeltaSource;
  readonly signal: AbortSignal;
  readonly span: TurnSpan;
  readonly checkRepeat: RepeatGuard;
  readonly startedAtMs: number;
  /** The number of swarm messages in the context; 0 when another process built it. */
  contextCount: number;
  /** The number of model messages that the context has; those after it belong to the turn. */
  contextLength: number;
  /** The maximum number of messages in the context, once the model has rejected a longer one. */
  contextLimit: number | null;
  /** What the agent reads instead of messages that a guardrail changed or excluded. */
  readings: Readings;
  stripper: EchoStripper;
  /** Those that no submitted step has. */
  modelCalls: ModelCallRow[];
  isResponding: boolean;
  mustAnswer: boolean;
  /** The model was told why its answer does not satisfy the response_schema. It gets one such attempt. */
  isRepairing: boolean;
  usedTool: boolean;
  hasExpired: boolean;
}

export interface AskedTurn {
  readonly byAgentId: string;
  readonly byAgentName: string;
  readonly words: string;
}

/** A tool call of a turn that waits: answered, waiting for an approval or the client, or for another agent's turn that waits. */
export type WaitingCall =
  | {
      readonly kind: "answered";
      readonly call: ModelToolCall;
      readonly output: string;
      readonly isError: boolean;
      readonly images?: readonly ModelImage[];
    }
  | { readonly kind: "approval"; readonly call: ModelToolCall; readonly execution: ToolExecution }
  | {
      /** The tool asks a person. */
      readonly kind: "question";
      readonly call: ModelToolCall;
      readonly execution: ToolExecution;
      /** Those without an answer; they are asked one after the other. */
      readonly questions: readonly ToolQuestion[];
      readonly answers: ToolAnswers;
    }
  | {
      readonly kind: "client";
      readonly call: ModelToolCall;
      readonly execution: ToolExecution;
      readonly maxOutputChars: number;
    }
  | { readonly kind: "member"; readonly call: ModelToolCall; readonly turn: SuspendedTurn };

/** The state that another node needs to continue a turn. Stored as JSON. */
export interface SuspendedTurn extends Readonly<Omit<StoredTurn, "reservationIds">> {
  /** Absent in rows of earlier versions. */
  readonly reservationIds?: readonly string[];
  readonly agentId: string;
  readonly waiting: readonly WaitingCall[];
  readonly durationMs: number;
}

export type TurnEnd =
  | { readonly kind: "finished"; readonly text: string; readonly isError: boolean; readonly stop: TurnStop | null }
  | { readonly kind: "gone" }
  | { readonly kind: "suspended"; readonly turn: SuspendedTurn };

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
    messages: [],
    contextCount: 0,
    contextLength: 0,
    contextLimit: null,
    readings: NO_READINGS,
    stripper: createEchoStripper(agent.name),
    modelCalls: [],
    text: "",
    isWithheld: guardrailsOf(run, agent.id, "output").length > 0,
    isResponding: false,
    firstTokenMs: null,
    toolSteps: 0,
    mustAnswer: false,
    isRepairing: false,
    usedTool: false,
    hasExpired: false,
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
 * not the caller.
 */
function withRequest({ context }: LiveRun, agent: SpeakingAgent): SpeakingAgent {
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

export function suspendTurn(run: LiveRun, turn: Turn, waiting: readonly WaitingCall[]): SuspendedTurn {
  return {
    id: turn.id,
    messageId: turn.messageId,
    position: turn.position,
    agentId: turn.agent.id,
    asked: turn.asked,
    system: turn.system,
    messages: turn.messages.map(dropImages),
    waiting: waiting.map(dropImages),
    text: turn.text,
    ...(turn.isWithheld === true && { isWithheld: true }),
    firstTokenMs: turn.firstTokenMs,
    toolSteps: turn.toolSteps,
    framework: turn.framework,
    model: turn.model,
    attempts: turn.attempts,
    warnings: turn.warnings,
    usage: turn.usage,
    costUsd: turn.costUsd,
    reservationIds: turn.reservationIds,
    durationMs: run.ports.clock.now().getTime() - turn.startedAtMs,
  };
}

/** Takes a copy of the stored state, which is parsed JSON and not used otherwise. */
export function reviveTurn(run: LiveRun, suspended: SuspendedTurn, agent: SpeakingAgent): Turn {
  const { agentId: _agentId, waiting: _waiting, durationMs, reservationIds = [], ...stored } = suspended;
  const fresh = createTurn(run, { ...stored, agent });
  const startedAtMs = fresh.startedAtMs - durationMs;
  // Text that readers have seen cannot be withheld any more.
  const isWithheld = stored.isWithheld ?? (fresh.isWithheld === true && stored.text === "");
  return { ...fresh, ...structuredClone(stored), isWithheld, reservationIds: [...reservationIds], startedAtMs };
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
