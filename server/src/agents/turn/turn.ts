import type { Framework } from "@swarmbase/sdk";
import { createEchoStripper, type EchoStripper } from "../context/echo-stripper.ts";
import { createRepeatGuard, type RepeatGuard } from "../guards/repeat-guard.ts";
import type { ModelMessage, ModelToolCall, ModelUsage, ModelWarning } from "../providers/model-port.ts";
import type { TurnSpan } from "../tracing.ts";
import type { DeltaSource } from "../execution/event-sequencer.ts";
import type { LiveRun, TurnStop } from "../execution/live-run.ts";
import type { PausedExecution, SpeakingAgent } from "../execution/steps.ts";

/** The state of a turn. */
export interface Turn {
  readonly id: string;
  readonly messageId: string;
  readonly position: number;
  readonly agent: SpeakingAgent;
  readonly source: DeltaSource;
  readonly signal: AbortSignal;
  readonly span: TurnSpan;
  readonly guard: RepeatGuard;
  readonly startedAtMs: number;
  /** Set where the coordinator asked for this turn. */
  readonly asked: AskedTurn | null;
  system: string;
  messages: ModelMessage[];
  /** How many messages of the swarm the context holds; 0 where another process built it. */
  contextCount: number;
  /** The maximum number of messages in the context, once the model has rejected a longer one. */
  contextLimit: number | null;
  stripper: EchoStripper;
  text: string;
  isResponding: boolean;
  firstTokenMs: number | null;
  toolSteps: number;
  mustAnswer: boolean;
  usedTool: boolean;
  hasExpired: boolean;
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

export interface AskedTurn {
  readonly byAgentId: string;
  readonly byAgentName: string;
  readonly words: string;
}

/** A tool call of a turn that waits: answered, waiting for an approval, or waiting for another agent's turn that does. */
export type WaitingCall =
  | { readonly kind: "answered"; readonly call: ModelToolCall; readonly output: string; readonly isError: boolean }
  | { readonly kind: "approval"; readonly call: ModelToolCall; readonly execution: PausedExecution }
  | { readonly kind: "member"; readonly call: ModelToolCall; readonly turn: SuspendedTurn };

/** All that another node needs to continue a turn. Stored as JSON. */
export interface SuspendedTurn {
  readonly id: string;
  readonly messageId: string;
  readonly position: number;
  readonly agentId: string;
  readonly asked: AskedTurn | null;
  readonly system: string;
  readonly messages: readonly ModelMessage[];
  readonly waiting: readonly WaitingCall[];
  readonly text: string;
  readonly firstTokenMs: number | null;
  readonly toolSteps: number;
  readonly framework: Framework;
  readonly model: string;
  readonly attempts: number;
  readonly warnings: Turn["warnings"];
  readonly usage: ModelUsage | null;
  readonly costUsd: number | null;
  readonly reservationIds?: readonly string[];
  readonly durationMs: number;
}

export type TurnEnd =
  | { readonly kind: "finished"; readonly text: string; readonly isError: boolean; readonly stop: TurnStop | null }
  | { readonly kind: "gone" }
  | { readonly kind: "suspended"; readonly turn: SuspendedTurn };

export interface NewTurn {
  readonly id: string;
  readonly messageId: string;
  readonly position: number;
  readonly agent: SpeakingAgent;
  readonly asked: AskedTurn | null;
}

export function createTurn(run: LiveRun, { id, messageId, position, agent, asked }: NewTurn): Turn {
  const controller = new AbortController();
  run.turnControllers.set(id, controller);
  return {
    id,
    messageId,
    position,
    agent,
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
    guard: createRepeatGuard(),
    startedAtMs: run.ports.clock.now().getTime(),
    system: "",
    messages: [],
    contextCount: 0,
    contextLimit: null,
    stripper: createEchoStripper(agent.name),
    text: "",
    isResponding: false,
    firstTokenMs: null,
    toolSteps: 0,
    mustAnswer: false,
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

export function suspendTurn(run: LiveRun, turn: Turn, waiting: readonly WaitingCall[]): SuspendedTurn {
  return {
    id: turn.id,
    messageId: turn.messageId,
    position: turn.position,
    agentId: turn.agent.id,
    asked: turn.asked,
    system: turn.system,
    messages: turn.messages,
    waiting,
    text: turn.text,
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

export function reviveTurn(run: LiveRun, kept: SuspendedTurn, agent: SpeakingAgent): Turn {
  const fresh = createTurn(run, { ...kept, agent });
  return {
    ...fresh,
    startedAtMs: fresh.startedAtMs - kept.durationMs,
    system: kept.system,
    messages: [...kept.messages],
    text: kept.text,
    firstTokenMs: kept.firstTokenMs,
    toolSteps: kept.toolSteps,
    framework: kept.framework,
    model: kept.model,
    attempts: kept.attempts,
    warnings: [...kept.warnings],
    usage: kept.usage,
    costUsd: kept.costUsd,
    reservationIds: [...(kept.reservationIds ?? [])],
  };
}

/** Every call of a turn has the same settings, and the same warnings about them. */
export function warnOnce(turn: Turn, warning: ModelWarning): void {
  const isKnown = turn.warnings.some(
    ({ setting, message }) => setting === warning.setting && message === warning.message,
  );
  if (!isKnown) turn.warnings.push(warning);
}

/** Adds text that every reader may see. Text before and after a tool call is separated into paragraphs. */
export function say(run: LiveRun, turn: Turn, text: string): void {
  if (text === "") return;
  turn.text += text;
  run.writer.delta("message.delta", turn.source, text);
  if (turn.isResponding) return;
  turn.isResponding = true;
  turn.firstTokenMs ??= run.ports.clock.now().getTime() - turn.startedAtMs;
  void run.writer.submit({
    op: "turn_status",
    turn_id: turn.id,
    agent_id: turn.agent.id,
    status: "responding",
    reason: "first_token",
    first_token_ms: turn.firstTokenMs,
  });
}

export function think(run: LiveRun, turn: Turn): void {
  if (!turn.isResponding) return;
  turn.isResponding = false;
  void run.writer.submit({
    op: "turn_status",
    turn_id: turn.id,
    agent_id: turn.agent.id,
    status: "thinking",
    reason: "tool_call",
    first_token_ms: null,
  });
}
