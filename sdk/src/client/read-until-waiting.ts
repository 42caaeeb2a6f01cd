import type { Run } from "../function-types/answers.ts";
import { isFunctionError } from "./function-error.ts";
import type { FunctionsClient } from "./functions-client.ts";
import { invokeFunction } from "./invoke-function.ts";
import type { RunStream } from "./run-stream.ts";
import type { RunStreamEvent } from "./run-stream-event.ts";

export interface ReadOptions {
  /** The calls that the run waited for are decided or have a result: their events do not end the reading. */
  readonly afterResumption?: boolean;
}

/**
 * Yields the events of a run, for protocols whose responses end when a person or the client has to act. Returns the run with the calls that
 * it waits for, or null when it has ended. The events of these calls are not yielded.
 */
export async function* readUntilWaiting(
  client: FunctionsClient,
  stream: RunStream,
  { afterResumption = false }: ReadOptions = {},
): AsyncGenerator<RunStreamEvent, Run | null, undefined> {
  let isSettled = afterResumption;
  for await (const event of stream) {
    isSettled &&= event.type !== "run.started";
    if (event.type !== "tool.approval_required" && event.type !== "tool.client_call") {
      yield event;
      continue;
    }
    if (isSettled) continue;
    const run = await readRun(client, event.data.run_id);
    if (run !== null && isWaiting(run)) return run;
  }
  return null;
}

/** Whether a person or the client has to act before the run continues. */
export function isWaiting({ status, pending_approvals: approvals, pending_client_calls: calls }: Run): boolean {
  return status === "requires_action" && [...(approvals ?? []), ...(calls ?? [])].length > 0;
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
