import type { PendingWait, ToolQuestion } from "@swarmbase/sdk";
import type { LiveTool } from "../../../data/live-run.ts";
import type { ToolCall } from "../../../data/runs.ts";

/** Converts a stored call to the type of streamed ones. `waits` are those of its run. */
export function toLiveTool(call: ToolCall, waits: readonly PendingWait[] | null): LiveTool {
  const { tool_execution_payloads: payloads } = call;
  return {
    id: call.id,
    name: call.tool_name,
    agentId: call.agent_id,
    status: call.status,
    input: payloads?.input ?? undefined,
    output: payloads?.output ?? undefined,
    error: call.error,
    durationMs: call.duration_ms,
    expiresAt: call.expires_at,
    wait: waits?.find(({ tool_execution_id: id }) => id === call.id) ?? null,
    question: (payloads?.question ?? null) as ToolQuestion | null,
  };
}
