import type { PlainEnd } from "./sql/end-runs.ts";
import type { NumberedStep, RunHold } from "./sql/advance-run.ts";
import type { EventRow } from "./steps.ts";

/** Null: these steps are more than the ordinary end of a run, which many runs can come to in one statement. */
export function asPlainEnd(
  hold: RunHold,
  steps: readonly NumberedStep[],
  deltas: readonly EventRow[],
): PlainEnd | null {
  const [turn, run, ...more] = steps;
  if (turn?.op !== "finish_turn" || run?.op !== "finish_run" || more.length > 0) return null;
  const { usage, content } = turn;
  const isPlain =
    turn.status === "completed" && turn.error === null && run.status === "completed" && run.error === null;
  if (!isPlain || content === "" || usage === null || Object.keys(turn.metadata).length > 0) return null;
  return {
    run_id: hold.runId,
    fence: hold.fence,
    agent_id: turn.agent_id,
    turn_id: turn.turn_id,
    seq: turn.seq,
    end_seq: run.seq,
    deltas,
    content,
    finish_reason: turn.finish_reason,
    stop_reason: run.stop_reason,
    warnings: turn.warnings,
    attempts: turn.attempts,
    framework: turn.framework,
    model: turn.model,
    first_token_ms: turn.first_token_ms,
    duration_ms: turn.duration_ms,
    ...usage,
    payer_id: turn.payer_id,
  };
}
