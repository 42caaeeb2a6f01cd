import type { LiveTool } from "../../../data/live-run.ts";

export const TOOL_STATUS_LABELS = {
  running: "running",
  pending_approval: "waiting for approval",
  pending_client: "waiting for the app",
  waiting: "waiting",
  succeeded: "done",
  failed: "failed",
  denied: "denied",
  timed_out: "timed out",
  cancelled: "cancelled",
} as const satisfies Record<LiveTool["status"], string>;
