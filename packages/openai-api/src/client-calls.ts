import {
  attach,
  invokeFunction,
  isFunctionError,
  isUuid,
  type Run,
  type RunStream,
  submitToolResults,
} from "@swarmbase/sdk";
import { type ExtensionCore, readRows } from "swarmbase/extension";
import type { ToolResult } from "./conversation.ts";

/** A call of a function of the caller. */
export interface ClientCall {
  readonly id: string;
  readonly name: string;
  /** JSON. */
  readonly input: string;
}

/** A run that got, or gets, the results of a request. */
export interface WaitingRun {
  readonly runId: string;
  readonly pendingIds: ReadonlySet<string>;
}

interface ExecutionRow {
  readonly id: string;
  readonly run_id: string;
  readonly status: string;
}

/** The run whose calls have these results; null when there is none any more, or the calls were another service's. */
export async function findWaitingRun(core: ExtensionCore, results: readonly ToolResult[]): Promise<WaitingRun | null> {
  const ids = results.map(({ id }) => id);
  if (ids.length === 0 || !ids.every(isUuid)) return null;
  const query = `id=in.(${ids.join(",")})&select=id,run_id,status`;
  const rows = await readRows<ExecutionRow>(core, "/tool_executions", query);
  const [runId, ...others] = new Set(rows.map((row) => row.run_id));
  if (runId === undefined || others.length > 0 || rows.length < new Set(ids).size) return null;
  const pending = rows.filter(({ status }) => status === "pending_client");
  return { runId, pendingIds: new Set(pending.map(({ id }) => id)) };
}

/** Another request was faster, or this one is too late: the run continues either way. */
const SETTLED_CODES: ReadonlySet<string> = new Set(["TOOL_RESULT_SUBMITTED", "CLIENT_TOOL_EXPIRED"]);

export interface ContinuedRun {
  readonly stream: RunStream;
  /** What earlier answers of the run have reported; null when it is not known any more. */
  readonly usageBefore: Run["usage"] | null;
}

/** Submits the results that the run waits for, and follows it. A request that is repeated finds nothing to submit. */
export async function continueRun(
  core: ExtensionCore,
  { runId, pendingIds }: WaitingRun,
  results: readonly ToolResult[],
  signal: AbortSignal,
): Promise<ContinuedRun> {
  const pending = results.filter(({ id }) => pendingIds.has(id));
  const body = { run_id: runId, results: pending.map(({ id, output }) => ({ tool_execution_id: id, output })) };
  const before = pending.length === 0 ? null : await attachOnce(core, runId);
  if (pending.length > 0)
    await submitToolResults(core, body).catch((error: unknown) => {
      if (!isFunctionError(error) || !SETTLED_CODES.has(error.code)) throw error;
    });
  return { stream: attach(core, runId, { signal }), usageBefore: before?.usage ?? null };
}

/** The run as soon as it waits or has ended. */
function attachOnce(core: ExtensionCore, runId: string): Promise<Run> {
  return invokeFunction(core, "agent-respond", { action: "attach", run_id: runId });
}

/** All calls that a run waits for, once it waits; null when it does not wait any more. */
export async function readClientCalls(
  core: ExtensionCore,
  runId: string,
): Promise<{ readonly calls: readonly ClientCall[]; readonly usage: Run["usage"] } | null> {
  const run = await attachOnce(core, runId);
  const calls = (run.pending_client_calls ?? []).map((call) => ({
    id: call.tool_execution_id,
    name: call.tool_name,
    input: JSON.stringify(call.input ?? {}),
  }));
  return calls.length === 0 ? null : { calls, usage: run.usage };
}
