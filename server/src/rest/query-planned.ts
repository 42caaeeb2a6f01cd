import { failedStatementOf } from "@swarmbase/postgres";
import type { BufferedResponse } from "./buffered-bytes.ts";
import { explainError } from "./explain-error.ts";
import { isReplay, loadKeptResult } from "./kept-result.ts";
import { locateRow } from "./locate-row.ts";
import { nameOperation } from "./operation-errors.ts";
import type { ParsedCall } from "./parse-calls.ts";
import { isWithoutEffect } from "./plan/write-columns.ts";
import { type PreparedRequest, returnsWritten } from "./prepare-request.ts";
import type { RestCall } from "./rest-call.ts";
import type { RestOptions } from "./rest-options.ts";
import { groupOf, type RunOptions, runPrepared } from "./run-prepared.ts";
import type { RunResult } from "./statement-group.ts";
import type { WriteKey } from "./write-key.ts";

/** What the requests of one transaction share. */
export interface RestTransaction {
  readonly calls: readonly [RestCall, ...RestCall[]];
  readonly isBatch: boolean;
  readonly buffer: BufferedResponse;
  readonly writeKey: WriteKey | null;
}

/** A request with its statements. */
export interface PlannedCall extends ParsedCall {
  readonly prepared: PreparedRequest;
}

interface QueryOptions {
  readonly rest: RestOptions;
  readonly run: RunOptions;
  readonly maxRows: number | null;
}

/** Runs the statements of all requests in one transaction. Throws errors of the database as errors for the caller. */
export async function queryPlanned(
  planned: readonly PlannedCall[],
  transaction: RestTransaction,
  options: QueryOptions,
): Promise<readonly RunResult[]> {
  const { calls, buffer } = transaction;
  const prepared = planned.map((one) => one.prepared);
  if (prepared.some(returnsWritten)) buffer.requireShare();
  try {
    const results = await runPrepared(prepared, calls, {
      ...options.run,
      onBytes: buffer.add,
      admitSlow: buffer.admit,
    });
    const isWrite = planned.some(({ request }) => request.method !== "GET" && request.method !== "HEAD");
    if (isWrite) options.rest.onWrite?.(calls.map(({ input }) => input.path));
    return results;
  } catch (error) {
    const [only] = prepared;
    if (only === undefined || !isReplay(error, options.run))
      throw await explainFailure(error, planned, transaction, options);
    return [await replay(only, calls[0], options)];
  }
}

/** The result of the earlier request with the same idempotency key. */
async function replay(prepared: PreparedRequest, call: RestCall, { rest, run }: QueryOptions): Promise<RunResult> {
  try {
    return await loadKeptResult(prepared, call, run);
  } catch (error) {
    throw await explainError(error, null, call.principal, rest);
  }
}

/** Finds the request, and its row, that the database rejected, and returns the error for the caller. */
async function explainFailure(
  error: unknown,
  planned: readonly PlannedCall[],
  { calls, isBatch }: RestTransaction,
  { rest, run, maxRows }: QueryOptions,
): Promise<unknown> {
  const { principal } = calls[0];
  const prepared = planned.map((one) => one.prepared);
  const statementIndex = error instanceof Error ? failedStatementOf(error) : null;
  // An error on entering or at commit (deferred constraints) belongs to no single request.
  const index = statementIndex === null ? -1 : groupOf(prepared, statementIndex, run);
  const rejected = planned[index < 0 && !isBatch ? 0 : index];
  if (rejected === undefined) return explainError(error, null, principal, rest);
  const { plan } = rejected.prepared.shape;
  const upToRejected = { attempt: rejected.attempt, prepared: prepared.slice(0, index + 1), calls };
  const rejection = {
    ...rejected,
    isWithoutEffect: plan.kind === "write" && isWithoutEffect(plan.write),
    rowIndex: index < 0 ? null : await locateRow(error, upToRejected, { ...run, maxRows }),
  };
  const fault = await explainError(error, rejection, principal, rest);
  return isBatch && index >= 0 ? nameOperation(fault, index) : fault;
}
