import type { LiveRun } from "../run/live-run.ts";
import type { SpeakingAgent } from "../writer/steps.ts";
import { createTurn, type Turn } from "./turn.ts";
import { dropImages } from "./turn-images.ts";
import { createBlankTurn, type SuspendedTurn, type WaitingCall } from "../run/turn-state.ts";

/**
 * The state of a turn that waits. Its context is built again when the turn continues: messages can be edited or deleted, results expire
 * and people join meanwhile.
 */
export function suspendTurn(run: LiveRun, turn: Turn, waiting: readonly WaitingCall[]): SuspendedTurn {
  return {
    id: turn.id,
    messageId: turn.messageId,
    position: turn.position,
    agentId: turn.agent.id,
    asked: turn.asked,
    lastSeq: turn.lastSeq,
    ...(turn.contextLimit !== null && { contextLimit: turn.contextLimit }),
    promptedCount: turn.promptedCount,
    promptedHash: turn.promptedHash,
    messages: turn.messages.slice(turn.contextLength).map(dropImages),
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
    ...(turn.isRepairing && { isRepairing: true }),
    ...(turn.usedTool && { usedTool: true }),
    ...(turn.hasExpired && { hasExpired: true }),
    ...(turn.isPrivate && { isPrivate: true }),
  };
}

/** The state of a turn that is in progress: another node repeats the call of the model that is not complete. */
export function snapshotTurn(run: LiveRun, turn: Turn, waiting: readonly WaitingCall[]): SuspendedTurn {
  const { id, messageId, position, asked, contextLength } = turn;
  const isBlank = waiting.length === 0 && turn.messages.length === contextLength;
  if (isBlank) return createBlankTurn({ id, messageId, position, agentId: turn.agent.id, asked });
  // The prompt of a call that is not complete may never be stored, so the next one is recorded whole.
  return { ...suspendTurn(run, turn, waiting), text: turn.settledText, promptedCount: 0 };
}

/** Takes a copy of the stored state, which is parsed JSON and not used otherwise. */
export function reviveTurn(run: LiveRun, suspended: SuspendedTurn, agent: SpeakingAgent): Turn {
  const { agentId: _agentId, waiting, durationMs, reservationIds = [], ...stored } = suspended;
  const { isBlank: _isBlank, ...state } = stored;
  const fresh = createTurn(run, { ...stored, agent });
  const startedAtMs = fresh.startedAtMs - durationMs;
  // Text that readers have seen cannot be withheld any more.
  const isWithheld = stored.isWithheld ?? (fresh.isWithheld === true && stored.text === "");
  return Object.assign(fresh, structuredClone(state), {
    framework: state.framework ?? fresh.framework,
    model: state.model ?? fresh.model,
    isWithheld,
    reservationIds: [...reservationIds],
    startedAtMs,
    settledText: state.text,
    calls: [...waiting],
  });
}
