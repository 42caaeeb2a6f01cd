import type { Run } from "../function-types/run-answers.ts";
import { isFunctionError } from "./function-error.ts";
import type { FunctionsClient } from "./functions-client.ts";
import { invokeFunction } from "./invoke-function.ts";
import type { RunStream } from "./run-stream.ts";
import type { RunStreamEvent } from "./run-stream-event.ts";

export interface ReadOptions {
  /** The tool executions that are decided or have a result: their events do not end the reading. */
  readonly answeredIds?: Iterable<string>;
}

/**
 * Yields the events of a run, for protocols whose responses end when a run waits. Returns the run with the calls that it waits for, or null
 * when it has ended.
 */
export async function* readUntilWaiting(
  client: FunctionsClient,
  stream: RunStream,
  { answeredIds = [] }: ReadOptions = {},
): AsyncGenerator<RunStreamEvent, Run | null, undefined> {
  const answered = new Set(answeredIds);
  for await (const event of stream) {
    yield event;
    if (event.type !== "tool.approval_required" && event.type !== "tool.client_call" && event.type !== "tool.waiting")
      continue;
    const { run_id: runId, tool_execution_id: id } = event.data;
    if (answered.has(id)) continue;
    const run = await readRun(client, runId);
    // Somebody else may have answered this call, and the run may wait for a later one, whose event follows.
    if (run !== null && listWaitingCalls(run).includes(id)) return run;
  }
  return null;
}

/** The ids of the tool executions for which a run waits: for a person, the client, a time, a signal, or a sub-task that waits itself. */
export function listWaitingCalls({ pending_approvals: approvals, pending_client_calls: calls, ...run }: Run): string[] {
  if (run.status !== "requires_action" && run.status !== "waiting") return [];
  const waits = (run.pending_waits ?? []).filter(({ is_at_work: isAtWork }) => isAtWork !== true);
  return [...(approvals ?? []), ...(calls ?? []), ...waits].map(({ tool_execution_id: id }) => id);
}

/** Null for a run that has failed, whose stream says why. */
async function readRun(client: FunctionsClient, runId: string): Promise<Run | null> {
  try {
    return await invokeFunction(client, "agent-respond", { action: "attach", run_id: runId });
  } catch (error) {
    if (isFunctionError(error)) return null;
    throw error;
  }
}
