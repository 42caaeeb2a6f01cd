import {
  type FairPool,
  runTransaction,
  type StatementResult,
  type TransactionOptions as PipelinedOptions,
} from "@swarmbase/postgres";
import { buildScope, type TransactionScope, shareKeyOf } from "./scope.ts";

export interface TransactionOptions
  extends Omit<PipelinedOptions, "key" | "enter" | "role" | "isReadOnly" | "isolation" | "statementTimeoutMs"> {
  /** Who the statements run as. */
  readonly scope: TransactionScope;
  /** Names a share of its own for work that must not wait for the other requests of the principal. */
  readonly share?: string;
}

/**
 * Runs the statements in the scope, as one transaction in one round trip. Rejects with the server's own errors, or with an AppError when
 * the database is unavailable.
 */
export function runPipelined(pool: FairPool, options: TransactionOptions): Promise<readonly StatementResult[]> {
  const { scope, share } = options;
  const key = shareKeyOf(scope);
  const { role, isReadOnly, isolation, statementTimeoutMs } = scope;
  return runTransaction(pool, {
    ...options,
    key: share === undefined ? key : `${share} ${key}`,
    enter: buildScope(scope),
    role,
    isReadOnly,
    isolation,
    statementTimeoutMs,
  });
}

/** The message of a transaction that has made work for webhooks. */
const WEBHOOK_WORK_NOTICE = "SB207";

export function hasWebhookWork(results: readonly StatementResult[]): boolean {
  return results.some(({ notices }) => notices?.includes(WEBHOOK_WORK_NOTICE) === true);
}
