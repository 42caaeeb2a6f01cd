/** Why a run ended, by stop reason. */
export const STOP_LABELS = {
  all_replied: "All agents have answered.",
  no_reply_needed: "No agent needed to reply.",
  empty_response: "The model answered without text.",
  max_turns: "The maximum number of turns was reached. Messages so far are kept.",
  max_tool_steps: "The maximum number of tool steps was reached. Messages so far are kept.",
  max_tokens_reached: "The model used up its tokens before it wrote any text.",
  context_length_exceeded: "The conversation is longer than the model can read.",
  schema_mismatch: "The answer does not satisfy the response schema.",
  budget_exceeded: "The budget was used up.",
  timeout: "The run exceeded its time limit.",
  loop_detected: "The run was ended because the agents handed over or called tools in a loop.",
  no_progress: "The run was ended because an agent repeated itself.",
  cancelled: "A user cancelled the run. Messages so far are kept.",
  interrupted: "A newer question interrupted the run.",
  starter_removed: "The user who started it may no longer start runs here. Messages so far are kept.",
  provider_error: "The model call failed after all retries.",
  content_filtered: "The content filter of the provider blocked the answer.",
  guardrail_failed: "A guardrail could not be checked.",
  internal_error: "The service had an internal error.",
  approval_expired: "A tool call waited too long for an approval or for the app.",
  worker_lost: "The node that executed the run stopped. Messages so far are kept.",
} as const;

/** Statuses to filter runs by. */
export const RUN_STATUS_CHOICES = [
  { value: "queued", label: "Queued" },
  { value: "running", label: "Running" },
  { value: "requires_action", label: "Action required" },
  { value: "waiting", label: "Waiting" },
  { value: "completed", label: "Completed" },
  { value: "partial", label: "Partial" },
  { value: "failed", label: "Failed" },
  { value: "cancelled", label: "Cancelled" },
] as const;

interface TimedRun {
  readonly started_at: string | null;
  readonly finished_at: string | null;
}

/** The duration of a run; null until it has ended. */
export function durationOf({ started_at: from, finished_at: until }: TimedRun): number | null {
  return from === null || until === null ? null : Date.parse(until) - Date.parse(from);
}
