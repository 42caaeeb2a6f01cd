import type { LiveTool } from "../../../data/live-run.ts";

export const TOOL_STATUS_WORDS = {
  running: "works",
  pending_approval: "waits for approval",
  succeeded: "done",
  failed: "failed",
  denied: "denied",
  timed_out: "took too long",
  cancelled: "cancelled",
} as const satisfies Record<LiveTool["status"], string>;
