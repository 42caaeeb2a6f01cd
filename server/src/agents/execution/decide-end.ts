import type { RunStopReason } from "@swarmbase/sdk";
import type { EndReason, FinishedTurn } from "../strategies/run-view.ts";
import type { TurnOutcome } from "../run/live-run.ts";
import type { StopKind } from "../writer/run-stop.ts";
import { createFault, type FaultRow } from "../writer/steps.ts";

interface RunEnd {
  readonly status: "completed" | "partial" | "failed" | "cancelled";
  readonly stopReason: RunStopReason;
  readonly error: FaultRow | null;
}

interface EndInput {
  readonly finished: readonly (FinishedTurn & TurnOutcome)[];
  /** The decision of the strategy; null when the run was aborted. */
  readonly endReason: EndReason | null;
  /** Why the run was aborted; null when it was not. */
  readonly stop: Exclude<StopKind, "lost"> | null;
}

/** Why a run ends whose turns failed, by the code of their errors; all other errors are those of providers. */
const STOP_REASONS: Readonly<Record<string, RunStopReason>> = {
  CONTENT_FILTERED: "content_filtered",
  GUARDRAIL_BLOCKED: "content_filtered",
  GUARDRAIL_FAILED: "guardrail_failed",
  CONTEXT_LENGTH_EXCEEDED: "context_length_exceeded",
  MAX_TOKENS_REACHED: "max_tokens_reached",
  RESPONSE_SCHEMA_MISMATCH: "schema_mismatch",
  LOOP_DETECTED: "loop_detected",
  INTERNAL_ERROR: "internal_error",
};
const LOOP = createFault("LOOP_DETECTED", "The agents handed the conversation over to each other in a loop", false);
const STARTER_REMOVED = createFault(
  "FORBIDDEN",
  "The user who started the run may no longer start runs in this swarm",
  false,
);

/** The status and stop reason of a run. Only replies: completed. Replies and faults: partial. Only faults: failed. */
export function decideEnd({ finished, endReason, stop }: EndInput): RunEnd {
  // The text of an answer that does not satisfy its schema is kept, but answers nothing.
  const hasReply = finished.some(({ text, errorCode }) => text !== "" && errorCode !== "RESPONSE_SCHEMA_MISMATCH");
  const failures = finished.filter(({ outcome }) => outcome === "failed");
  const kept = hasReply ? "partial" : "failed";
  switch (stop) {
    case "cancelled":
    case "gone":
      return end("cancelled", "cancelled");
    case "interrupted":
      return end("cancelled", "interrupted");
    case "removed":
      return end("cancelled", "starter_removed", STARTER_REMOVED);
    case "timeout":
      return end(kept, "timeout", createFault("PROVIDER_TIMEOUT", "The run exceeded its time limit", true));
    case null:
      break;
  }
  const met = (mark: TurnOutcome["stop"]): boolean => finished.some((turn) => turn.stop === mark);
  if (met("budget_exceeded"))
    return end(
      kept,
      "budget_exceeded",
      createFault("BUDGET_EXCEEDED", "The budget does not allow another call", false),
    );
  if (failures.length > 0) {
    const reasons = failures.map(({ errorCode }) => STOP_REASONS[errorCode ?? ""] ?? "provider_error");
    return end(kept, reasons.includes("provider_error") ? "provider_error" : (reasons[0] ?? "provider_error"));
  }
  if (met("loop_detected") || endReason === "loop_detected")
    return end(hasReply ? "completed" : "failed", "loop_detected", LOOP);
  if (met("approval_expired")) return end(kept, "approval_expired");
  if (endReason === "all_replied") {
    if (met("max_turns")) return end("completed", "max_turns");
    if (met("max_tool_steps")) return end("completed", "max_tool_steps");
    if (hasReply) return end("completed", "all_replied");
    return end("completed", met("empty_response") ? "empty_response" : "no_reply_needed");
  }
  return end("completed", endReason ?? "no_reply_needed");
}

function end(status: RunEnd["status"], stopReason: RunStopReason, error: FaultRow | null = null): RunEnd {
  return { status, stopReason, error: status === "completed" ? null : error };
}
