export const RUN_STATUSES = [
  "queued",
  "running",
  "requires_action",
  "completed",
  "partial",
  "failed",
  "cancelled",
] as const;
export type RunStatus = (typeof RUN_STATUSES)[number];

/** Runs with one of these statuses never change again and have a stop reason. */
export const FINAL_RUN_STATUSES = [
  "completed",
  "partial",
  "failed",
  "cancelled",
] as const satisfies readonly RunStatus[];

export const RUN_STOP_REASONS = [
  "all_replied",
  "no_reply_needed",
  "max_turns",
  "max_tool_steps",
  "budget_exceeded",
  "timeout",
  "loop_detected",
  "no_progress",
  "cancelled",
  "interrupted",
  "starter_removed",
  "provider_error",
  "content_filtered",
  "approval_expired",
  "worker_lost",
] as const;
export type RunStopReason = (typeof RUN_STOP_REASONS)[number];
