import { type AgentRespondApproveBody, invokeFunction, listWaitingCalls, type Run } from "@swarmbase/sdk";
import { readLastEventId, toExtensionError } from "swarmbase/extension";
import { followRun } from "./follow-run.ts";
import type { ToolCall } from "./tools/tool.ts";

export type Decision = AgentRespondApproveBody["decisions"][number];

/**
 * Decides about calls that wait, all of them or none, and returns the run when it has ended or waits again. A run in somebody else's
 * private conversation with an agent of the caller is returned at once: the caller does not follow it.
 */
export async function decideAndFollow(runId: string, decisions: readonly Decision[], call: ToolCall): Promise<Run> {
  const { core } = call.caller;
  const afterEventId = await readLastEventId(core, runId);
  const body = { action: "approve" as const, run_id: runId, decisions: [...decisions] };
  const run = await invokeFunction(core, "agent-respond", body);
  if (listWaitingCalls(run).length > 0) return run;
  return followRun(runId, call, afterEventId).catch((error: unknown) => {
    if (toExtensionError(error)?.code !== "RUN_NOT_FOUND") throw error;
    return run;
  });
}
