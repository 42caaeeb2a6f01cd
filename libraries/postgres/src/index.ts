// In charge of: transactions that are sent in one write, reads that share a connection, pools that their users share fairly,
// and which errors mean that the server cannot be used at the moment.
// Not in charge of: who a transaction runs as, what a statement is for, and what a user reads about a failure.

export { acquireClient } from "./acquire-client.ts";
export { FairPool, type FairPoolConfig } from "./fair-pool.ts";
export { isUnavailable, READ_ONLY_STATE } from "./is-unavailable.ts";
export { perObject } from "./per-object.ts";
export { failedStatementOf } from "./pipelined-transaction.ts";
export { PoolError, type PoolFault } from "./pool-error.ts";
export { runTransaction, watchTransactions } from "./run-transaction.ts";
export type {
  Isolation,
  PipelinedStatement,
  StatementResult,
  TextRow,
  TransactionOptions,
} from "./transaction-request.ts";
