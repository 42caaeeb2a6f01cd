import type { FairPool, StatementResult } from "@swarmbase/postgres";
import { hasWebhookWork, runPipelined, type TransactionScope, transactionScopeOf } from "../db/index.ts";
import type { PreparedRequest } from "./prepare-request.ts";
import type { RestCall } from "./rest-call.ts";
import {
  buildStatementGroup,
  type Entering,
  enterRequest,
  listStatements,
  RESULTS,
  type RunResult,
} from "./statement-group.ts";

export interface RunOptions extends Entering {
  readonly pool: FairPool;
  /** By the selected schema. Each is always the same array, so that values cached by it are found. */
  readonly searchPaths: ReadonlyMap<string, readonly string[]>;
  /** Settings of roles and functions can only lower it. */
  readonly statementTimeoutMs: number;
  readonly shouldRollBack: boolean;
  readonly maxResponseBytes: number;
  /** Called with the number of bytes that arrive; an error ends a read. */
  onBytes?(count: number): Error | null;
  /** Called before a read that is not known to be quick; an error refuses it. */
  admitSlow?(): Error | null;
  /** Called after a transaction that has made work for webhooks. */
  onWebhookWork?(): void;
}

/** Shared, so that its text is rendered once. */
const NO_HEADERS = Object.freeze({});

/** Runs prepared requests in order, in one transaction and one round trip, with one result for each. */
export async function runPrepared(
  prepared: readonly PreparedRequest[],
  calls: readonly [RestCall, ...RestCall[]],
  options: RunOptions,
): Promise<readonly RunResult[]> {
  const [call] = calls;
  const isForeign = options.preRequest !== null || prepared.some(({ shape }) => shape.isForeign);
  const scopes = prepared.map((one, index) =>
    describeScope(prepared, one, calls[index] ?? call, { ...options, isForeign }),
  );
  const [scope] = scopes;
  if (scope === undefined) throw new Error("nothing was prepared");
  const groups = prepared.map((_, index) => buildStatementGroup(prepared, index, scopes[index] ?? scope, options));
  const { maxResponseBytes, onBytes, admitSlow } = options;
  const results = await runPipelined(options.pool, {
    scope,
    statements: groups.flatMap(listStatements),
    // The statements of a write count their bytes themselves: when bytes arrive it may have been committed.
    ...(scope.isReadOnly ? { maxResultBytes: maxResponseBytes } : { maxResultBytes: 2 * maxResponseBytes }),
    onBytes: scope.isReadOnly || onBytes === undefined ? onBytes : (count) => (onBytes(count), null),
    admitSlow,
    resetAfter: isForeign,
    rollback: options.shouldRollBack,
    // A write runs to its end: its caller must not have to guess whether it was committed.
    signal: scope.isReadOnly ? call.signal : undefined,
  });
  if (hasWebhookWork(results)) options.onWebhookWork?.();
  let next = 0;
  return groups.map(({ before, answering }) => {
    next += before.length;
    const [main = null, estimate = null, csvHeader = null, settings = null] = RESULTS.map((name) =>
      answering[name] === null ? null : results[next++],
    );
    if (main === null) throw new Error("the transaction has no result for its statement");
    return { main, estimate, csvHeader, settings };
  });
}

/**
 * Runs a statement about the schema as the caller. The pre-request function can reject it, but not change the response; as in
 * PostgREST, OPTIONS does not call it.
 */
export async function runDescription(
  text: string,
  values: readonly string[],
  call: RestCall,
  options: RunOptions,
): Promise<StatementResult> {
  const preRequest = call.input.method === "OPTIONS" ? null : options.preRequest;
  const isForeign = preRequest !== null;
  const scope = { ...describeScope([], null, call, { ...options, isForeign }), isReadOnly: true };
  const statements = [...enterRequest(null, scope, { ...options, preRequest }), { text, values }];
  const results = await runPipelined(options.pool, { scope, statements, resetAfter: isForeign });
  const result = results.at(-1);
  if (result === undefined) throw new Error("the transaction has no result for its statement");
  return result;
}

/** The index of the request that a statement of the transaction belongs to; -1 when none. */
export function groupOf(prepared: readonly PreparedRequest[], statementIndex: number, options: RunOptions): number {
  let end = 0;
  return prepared.findIndex((_, index) => {
    end += listStatements(buildStatementGroup(prepared, index, null, options)).length;
    return statementIndex < end;
  });
}

function describeScope(
  prepared: readonly PreparedRequest[],
  own: PreparedRequest | null,
  { input, path, principal, isReadOnly = false }: RestCall,
  { pool, searchPaths, roleSettings, statementTimeoutMs, isForeign }: RunOptions & { readonly isForeign: boolean },
): TransactionScope {
  const [firstSchema = ""] = searchPaths.keys();
  const schema = own?.request.schema ?? firstSchema;
  const called = own?.shape.plan.kind === "call" ? own.shape.plan.call.function.settings : null;
  return transactionScopeOf(principal, {
    schemas: searchPaths.get(schema) ?? [schema],
    statementTimeoutMs: lowerLimit(statementTimeoutMs, called?.statementTimeoutMs ?? roleSettings.statementTimeoutMs),
    lockTimeoutMs: lowerLimit(pool.lockTimeoutMs, roleSettings.lockTimeoutMs),
    isolation: called?.isolation ?? roleSettings.isolation,
    isReadOnly:
      isReadOnly ||
      prepared.every(({ shape: { plan } }) => plan.kind === "read" || (plan.kind === "call" && !plan.call.mayWrite)),
    // Only SQL that is not part of the service reads them.
    request: { method: input.method, path, headers: isForeign ? joinHeaders(input.headers) : NO_HEADERS },
  });
}

/** 0 is no limit. */
function lowerLimit(maxMs: number, ownMs: number | null): number {
  if (ownMs === null || ownMs === 0) return maxMs;
  return maxMs === 0 ? ownMs : Math.min(maxMs, ownMs);
}

function joinHeaders(headers: RestCall["input"]["headers"]): Record<string, string> {
  const joined: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers)) {
    if (value !== undefined && name !== "cookie") joined[name] = typeof value === "string" ? value : value.join(", ");
  }
  return joined;
}
