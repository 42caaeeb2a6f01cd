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
 * Yields the events of a run, for protocols whose responses end when a person or the client has to act. Returns the run with the calls that
 * it waits for, or null when it has ended.
 */
export async function* readUntilWaiting(
  client: FunctionsClient,
  stream: RunStream,
  { answeredIds = [] }: ReadOptions = {},
): AsyncGenerator<RunStreamEvent, Run | null, undefined> {
  const answered = new Set(answeredIds);
  for await (const event of stream) {
    yield event;
    if (event.type !== "tool.approval_required" && event.type !== "tool.client_call") continue;
    const { run_id: runId, tool_execution_id: id } = event.data;
    if (answered.has(id)) continue;
    const run = await readRun(client, runId);
    // Somebody else may have answered this call, and the run may wait for a later one, whose event follows.
    if (run !== null && listWaitingCalls(run).includes(id)) return run;
  }
  return null;
}

/** The ids of the tool executions that a person or the client has to answer before the run continues. */
export function listWaitingCalls({ status, pending_approvals: approvals, pending_client_calls: calls }: Run): string[] {
  if (status !== "requires_action") return [];
  return [...(approvals ?? []), ...(calls ?? [])].map(({ tool_execution_id: id }) => id);
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
