import { toMemberAnswer } from "./use-tool.ts";
import { snapshotTurn } from "./suspended-turn.ts";
import type { Turn } from "./turn.ts";
import { createBlankTurn, type LiveCall, type SuspendedTurn, type WaitingCall } from "../run/turn-state.ts";
import type { LiveRun, RunProgress } from "../run/live-run.ts";
import type { LoadedRun } from "../run/sql/load-run.ts";

/** Of the progress that this release writes. It reads this version and the one before. */
const VERSION = 1;

export function describeProgress(run: LiveRun, suspended: readonly SuspendedTurn[], elapsedMs: number): RunProgress {
  const { turnCount, toolCallCount, answerCount, finished, hasSummarized } = run;
  return { version: VERSION, elapsedMs, turnCount, toolCallCount, answerCount, finished, suspended, hasSummarized };
}

/**
 * The progress of a run that continues, for the node that may have to take it over. Turns that have done nothing yet are left out: they
 * have a row, or are started by the strategy. Null when there are no others.
 */
export function snapshotRun(run: LiveRun, elapsedMs: number, seq: number): RunProgress | null {
  const suspended = [...run.turns.values()]
    .filter(({ asked }) => asked === null)
    .map((turn) => turn.snapshot())
    .filter(({ isBlank }) => isBlank !== true);
  if (run.finished.length + suspended.length === 0) return null;
  return { ...describeProgress(run, suspended, elapsedMs), seq };
}

/** From now on, the progress of the run includes the turn. */
export function trackTurn(run: LiveRun, turn: Turn): void {
  run.turns.set(turn.id, {
    asked: turn.asked,
    readEnd: () => turn.end,
    snapshot: () =>
      snapshotTurn(
        run,
        turn,
        turn.calls.map((call) => toWaiting(run, call)),
      ),
  });
}

/** The same for a turn that has not begun or is not resumed yet. */
export function trackSuspended(run: LiveRun, turn: SuspendedTurn): void {
  run.turns.set(turn.id, { asked: turn.asked, readEnd: () => null, snapshot: () => turn });
}

function toWaiting(run: LiveRun, live: LiveCall): WaitingCall {
  if (live.kind !== "asking") return live;
  const { call, turnId } = live;
  const asked = run.turns.get(turnId);
  if (asked === undefined) return { kind: "pending", call };
  const end = asked.readEnd();
  return end === null ? { kind: "member", call, turn: asked.snapshot() } : toMemberAnswer(call, end);
}

/** Whether a newer release has stored the progress, in a form that this one would misread. */
export function isNewerProgress({ progress }: Pick<LoadedRun, "progress">): boolean {
  return progress !== null && (progress as RunProgress).version > VERSION;
}

/** The progress to continue from. Null for a run that begins. */
export function readProgress({ progress, recovery }: LoadedRun): RunProgress | null {
  const stored = progress === null ? null : (progress as RunProgress);
  if (recovery === null) return stored;
  const known = new Set(stored?.suspended.flatMap(listIds));
  const blank = recovery.open_turns
    .filter(({ id }) => !known.has(id))
    .map(({ id, message_id: messageId, agent_id: agentId, position }) =>
      createBlankTurn({ id, messageId, agentId, position, asked: null }),
    );
  const { elapsedMs = 0, turnCount = blank.length, toolCallCount = 0, answerCount = 0, finished = [] } = stored ?? {};
  // A node that was lost may have paid for one that nobody has stored.
  const hasSummarized = stored?.hasSummarized === true || blank.length > 0;
  return {
    version: VERSION,
    elapsedMs: elapsedMs + recovery.elapsed_ms,
    turnCount,
    toolCallCount,
    answerCount,
    finished,
    suspended: [...(stored?.suspended ?? []), ...blank],
    hasSummarized,
    ...(stored?.seq !== undefined && { seq: stored.seq }),
  };
}

/** Of a turn and of those that it asked for. */
function listIds({ id, waiting }: SuspendedTurn): string[] {
  return [id, ...waiting.flatMap((call) => (call.kind === "member" ? listIds(call.turn) : []))];
}
