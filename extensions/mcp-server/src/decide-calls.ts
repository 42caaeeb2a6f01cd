import { type AgentRespondApproveBody, invokeFunction, listWaitingCalls, type Run } from "@swarmbase/sdk";
import { readLastEventId } from "swarmbase/extension";
import { followRun } from "./follow-run.ts";
import type { ToolCall } from "./tools/tool.ts";

export type Decision = AgentRespondApproveBody["decisions"][number];

/** Decides about calls that wait, all of them or none, and returns the run when it has ended or waits again. */
export async function decideAndFollow(runId: string, decisions: readonly Decision[], call: ToolCall): Promise<Run> {
  const { core } = call.caller;
  const afterEventId = await readLastEventId(core, runId);
  const body = { action: "approve" as const, run_id: runId, decisions: [...decisions] };
  const run = await invokeFunction(core, "agent-respond", body);
  return listWaitingCalls(run).length > 0 ? run : followRun(runId, call, afterEventId);
}
