import {
  attach,
  type EventUsage,
  invokeFunction,
  isFunctionError,
  isUuid,
  type RunStream,
  submitToolResults,
} from "@swarmbase/sdk";
import type { ExtensionCore } from "swarmbase/extension";
import type { ToolResult } from "./conversation.ts";

/** A call of a function of the caller. */
export interface ClientCall {
  /**
   * The ids of the call and of its run, and the tokens that were reported up to it. The answer to its result reports the tokens
   * since then, also when the request is repeated.
   */
  readonly id: string;
  readonly name: string;
  /** JSON. */
  readonly input: string;
}

export type Tokens = Pick<EventUsage, "input_tokens" | "cached_input_tokens" | "output_tokens">;

/** What is reported where somebody else pays. */
export const NO_TOKENS: Tokens = { input_tokens: 0, cached_input_tokens: 0, output_tokens: 0 };

const NUMBER_BASE = 36;

function renderId(id: string, runId: string, { input_tokens, cached_input_tokens, output_tokens }: Tokens): string {
  const counts = [input_tokens, cached_input_tokens, output_tokens];
  return [id, runId, ...counts.map((count) => count.toString(NUMBER_BASE))].join(".");
}

/** Ids of other services name no call. */
function parseId(text: string): { readonly id: string; readonly runId: string; readonly before: Tokens } {
  const [id = "", runId = "", ...counts] = text.split(".");
  const [input_tokens = 0, cached_input_tokens = 0, output_tokens = 0] = counts.map(
    (count) => Number.parseInt(count, NUMBER_BASE) || 0,
  );
  return { id, runId, before: { input_tokens, cached_input_tokens, output_tokens } };
}

/** A run that got, or gets, the results of a request. */
export interface WaitingRun {
  readonly runId: string;
  /** The calls that the client has executed. */
  readonly callIds: readonly string[];
  /** What earlier answers of the run have reported. */
  readonly before: Tokens;
  /** Those that were not submitted before. */
  readonly results: readonly { readonly tool_execution_id: string; readonly output: string }[];
}

/** The run whose calls have these results; null when there is none any more, or the calls were another service's. */
export async function findWaitingRun(core: ExtensionCore, results: readonly ToolResult[]): Promise<WaitingRun | null> {
  const calls = results.map(({ id, output }) => ({ ...parseId(id), output }));
  const callIds = [...new Set(calls.map(({ id }) => id))];
  const [first] = calls;
  const [runId, ...others] = new Set(calls.map((call) => call.runId));
  if (first === undefined || !isUuid(runId) || others.length > 0 || !callIds.every(isUuid)) return null;
  const pending = await listPendingCalls(core, runId);
  if (pending === null) return null;
  const left = calls.filter(({ id }) => pending.has(id));
  return {
    runId,
    callIds,
    before: first.before,
    results: left.map(({ id, output }) => ({ tool_execution_id: id, output })),
  };
}

/** Null when the caller has no such run. */
async function listPendingCalls(core: ExtensionCore, runId: string): Promise<ReadonlySet<string> | null> {
  try {
    const run = await invokeFunction(core, "agent-respond", { action: "attach", run_id: runId });
    return new Set(run.pending_client_calls?.map((call) => call.tool_execution_id));
  } catch (error) {
    if (!isFunctionError(error)) throw error;
    return error.code === "RUN_NOT_FOUND" ? null : new Set();
  }
}

/** Another request was faster, or this one is too late: the run continues either way. */
const SETTLED_CODES: ReadonlySet<string> = new Set(["TOOL_RESULT_SUBMITTED", "CLIENT_TOOL_EXPIRED"]);

/** Submits the results that the run waits for, and follows it. A request that is repeated finds nothing to submit. */
export async function continueRun(
  core: ExtensionCore,
  { runId, results }: WaitingRun,
  signal: AbortSignal,
): Promise<RunStream> {
  if (results.length > 0)
    await submitToolResults(core, { run_id: runId, results: [...results] }).catch((error: unknown) => {
      if (!isFunctionError(error) || !SETTLED_CODES.has(error.code)) throw error;
    });
  return attach(core, runId, { signal });
}

/** All calls that a run waits for, once it waits; null when it does not wait any more. */
export async function readClientCalls(
  core: ExtensionCore,
  runId: string,
): Promise<{ readonly calls: readonly ClientCall[]; readonly usage: Tokens } | null> {
  const run = await invokeFunction(core, "agent-respond", { action: "attach", run_id: runId });
  const usage = run.usage ?? NO_TOKENS;
  const calls = (run.pending_client_calls ?? []).map((call) => ({
    id: renderId(call.tool_execution_id, runId, usage),
    name: call.tool_name,
    input: JSON.stringify(call.input ?? {}),
  }));
  return calls.length === 0 ? null : { calls, usage };
}
