import type { RunStopReason } from "@swarmbase/sdk";
import type { EndReason, FinishedTurn } from "../strategies/run-view.ts";
import type { TurnMarks } from "./live-run.ts";
import type { StopKind } from "./run-stop.ts";
import { createFault, type FaultRow } from "./steps.ts";

export interface RunEnd {
  readonly status: "completed" | "partial" | "failed" | "cancelled";
  readonly stopReason: RunStopReason;
  readonly error: FaultRow | null;
}

export interface EndInput {
  readonly finished: readonly (FinishedTurn & TurnMarks)[];
  /** The decision of the strategy; null when the run was aborted. */
  readonly endReason: EndReason | null;
  /** Why the run was aborted; null when it was not. */
  readonly stop: Exclude<StopKind, "lost"> | null;
}

const STARTER_REMOVED = createFault(
  "FORBIDDEN",
  "The user who started the run may no longer start runs in this swarm",
  false,
);

/** The status and stop reason of a run. Only replies: completed. Replies and faults: partial. Only faults: failed. */
export function decideEnd({ finished, endReason, stop }: EndInput): RunEnd {
  const hasReply = finished.some(({ text }) => text !== "");
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
  const met = (mark: TurnMarks["stop"]): boolean => finished.some((turn) => turn.stop === mark);
  if (met("budget_exceeded"))
    return end(
      kept,
      "budget_exceeded",
      createFault("BUDGET_EXCEEDED", "The budget does not allow another call", false),
    );
  if (failures.length > 0) {
    const isFiltered = failures.every(
      ({ errorCode }) => errorCode === "CONTENT_FILTERED" || errorCode === "GUARDRAIL_BLOCKED",
    );
    return end(kept, isFiltered ? "content_filtered" : "provider_error");
  }
  if (met("loop_detected") || endReason === "loop_detected")
    return end(hasReply ? "completed" : "failed", "loop_detected");
  if (met("approval_expired")) return end(kept, "approval_expired");
  if (endReason === "all_replied") {
    if (met("max_turns")) return end("completed", "max_turns");
    if (met("max_tool_steps")) return end("completed", "max_tool_steps");
    return end("completed", hasReply ? "all_replied" : "no_reply_needed");
  }
  return end("completed", endReason ?? "no_reply_needed");
}

function end(status: RunEnd["status"], stopReason: RunStopReason, error: FaultRow | null = null): RunEnd {
  return { status, stopReason, error: status === "completed" ? null : error };
}
