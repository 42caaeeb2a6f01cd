export const RUN_STATUSES = [
  "queued",
  "running",
  "requires_action",
  "waiting",
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
export type FinalRunStatus = (typeof FINAL_RUN_STATUSES)[number];

export function isFinalRunStatus(status: RunStatus): status is FinalRunStatus {
  return (FINAL_RUN_STATUSES as readonly RunStatus[]).includes(status);
}

export const RUN_STOP_REASONS = [
  "all_replied",
  "no_reply_needed",
  "empty_response",
  "max_turns",
  "max_tool_steps",
  "max_tokens_reached",
  "context_length_exceeded",
  "schema_mismatch",
  "budget_exceeded",
  "timeout",
  "loop_detected",
  "no_progress",
  "cancelled",
  "interrupted",
  "starter_removed",
  "provider_error",
  "content_filtered",
  "guardrail_failed",
  "internal_error",
  "approval_expired",
  "worker_lost",
] as const;
export type RunStopReason = (typeof RUN_STOP_REASONS)[number];

/**
 * Why the messages that an agent has no room for are in no summary: a budget is spent, the model gave no answer or none that can be
 * used, a guardrail objects, a message was changed meanwhile, the run has written a summary already, or the service has failed.
 */
export const SUMMARY_FAULTS = ["budget", "provider", "answer", "guardrail", "changed", "limit", "internal"] as const;
export type SummaryFault = (typeof SUMMARY_FAULTS)[number];

/** The events of a run's stream, and `warnings` about the body of the call. */
export const RUN_STREAM_EVENT_TYPES = [
  "message.created",
  "run.queued",
  "run.started",
  "turn.started",
  "turn.restarted",
  "turn.completed",
  "agent.status_changed",
  "agent.error",
  "message.delta",
  "message.reset",
  "context.shortened",
  "reasoning.delta",
  "tool.started",
  "tool.approval_required",
  "tool.client_call",
  "tool.waiting",
  "tool.executed",
  "tool.error",
  "run.completed",
  "run.partial",
  "run.failed",
  "run.cancelled",
  "done",
  "warnings",
] as const;
export type RunStreamEventType = (typeof RUN_STREAM_EVENT_TYPES)[number];
