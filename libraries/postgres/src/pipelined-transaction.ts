import pg from "pg";
import type { TransactionRequest, StatementResult, TextRow } from "./transaction-request.ts";
import { MessageWriter } from "./message-writer.ts";
import { type PreparedStatement, type PreparedStatements, type StatementUse, UNNAMED } from "./prepared-statements.ts";
import { RESET_CONNECTION } from "./reset-answer.ts";
import { PoolError } from "./pool-error.ts";
import type { Answerable, WireConnection } from "./wire.ts";

/**
 * committed: all statements succeeded; with the rollback option, they were then rolled back. rejected: the server reported an
 * error and rolled everything back. lost: the connection broke; whether a transaction that was sent was committed is unknown.
 */
export type TransactionOutcome =
  | { readonly kind: "committed"; readonly results: readonly StatementResult[]; readonly isReusable: boolean }
  | { readonly kind: "rejected"; readonly error: Error; readonly isRepeatable: boolean; readonly isReusable: boolean }
  | { readonly kind: "lost"; readonly error: Error; readonly isUnanswered: boolean; readonly isUnsent: boolean };

interface Step {
  readonly use: StatementUse;
  readonly values: readonly (string | null)[];
  readonly text: string;
  readonly rows: TextRow[] | null;
  notices: Set<string> | null;
}

// invalid_sql_statement_name: the statement is gone. feature_not_supported: the columns of its result have changed.
const STALE_STATES = new Set(["26000", "0A000"]);

/**
 * query_canceled and admin_shutdown, as a warning after the last statement: the wait for a synchronous standby was ended. The
 * transaction is committed on this server alone, and lost when the standby takes its place.
 */
const UNREPLICATED_STATES = new Set(["57014", "57P01"]);

const failedIndexes = new WeakMap<Error, number>();

/** The index of the statement that raised an error; null for the enter statement and for errors without a statement. */
export function failedStatementOf(error: Error): number | null {
  const index = failedIndexes.get(error) ?? -1;
  return index < 0 ? null : index;
}

// One for all transactions: each is written synchronously.
const writer = new MessageWriter();

/**
 * One write, one implicit transaction, one response: the enter statement, the other statements, then one Sync.
 *
 * The server responds to the steps in order, to each up to its CommandComplete. After an error it skips to the Sync. The
 * driver drops a query at its first error and does not pass the ReadyForQuery on to it, so the pipeline listens for that on
 * the connection. Rows alone are no success: deferred constraints fail at the Sync.
 */
export class PipelinedTransaction implements Answerable {
  readonly outcome: Promise<TransactionOutcome>;
  /** Set by the driver. It clears the read timeout, which would otherwise close the connection under its next user. */
  callback: (() => void) | null = null;
  /** Called once, when the response is complete or lost. */
  onEnd: ((isReusable: boolean) => void) | null = null;
  hasCommitted = false;
  /** From the moment it is the first one on the connection to its end. */
  durationMs = 0;
  readonly #resolve: (outcome: TransactionOutcome) => void;
  readonly request: TransactionRequest;
  readonly #statements: PreparedStatements;
  readonly #steps: readonly Step[];
  /** The index of the first step after the enter statement. */
  readonly #firstEntered: number;
  readonly #parsing: (PreparedStatement | null)[] = [];
  readonly #results: StatementResult[] = [];
  #stepIndex = 0;
  #isBound = false;
  #isSent = false;
  #isEnded = false;
  #isUnreplicated = false;
  #isSettled = false;
  #isDetached = false;
  #following: readonly PipelinedTransaction[] = [];
  #begunMs: number | null = null;
  #receivedBytes = 0;
  #rejection: { readonly error: Error; readonly isRepeatable: boolean } | null = null;
  #connection: WireConnection | null = null;

  constructor(request: TransactionRequest, statements: PreparedStatements) {
    const { promise, resolve } = Promise.withResolvers<TransactionOutcome>();
    this.outcome = promise;
    this.#resolve = resolve;
    this.request = request;
    this.#statements = statements;
    const firstAnswered = request.statements.findIndex(({ isAnswered }) => isAnswered);
    this.#firstEntered = firstAnswered === -1 ? request.statements.length : firstAnswered;
    statements.beginTransaction();
    this.#steps = request.statements.map(({ text, values, role, isAnswered, isUnprepared = false }) => {
      const use = isUnprepared ? UNNAMED : statements.use(role, text);
      if (use.mustParse) this.#parsing.push(use.statement);
      return { use, text, values, rows: isAnswered ? [] : null, notices: null };
    });
  }

  /** Whether the server responds to it, or has done so. */
  get hasBegun(): boolean {
    return this.#begunMs !== null;
  }

  /** Has further transactions written with it, each up to its own Sync. They are submitted when the server responds to them. */
  sendWith(following: readonly PipelinedTransaction[]): void {
    this.#following = following;
  }

  submit(connection: WireConnection): Error | null {
    const { stream } = connection;
    this.#begunMs = performance.now();
    if (this.#isSent) {
      this.#connection = connection;
      return null;
    }
    if (!stream.writable) return new Error("Connection terminated before anything was sent");
    this.#connection = connection;
    writer.start();
    this.#write();
    for (const next of this.#following) next.#write();
    stream.write(writer.take());
    return null;
  }

  #write(): void {
    for (const name of this.#statements.takeClosing()) writer.closeStatement(name);
    for (const { use, text, values } of this.#steps) {
      if (use.mustParse) writer.parse(use.name, text);
      writer.bind(use.name, values);
      writer.execute();
    }
    writer.sync();
    if (this.request.shouldReset) writer.query(RESET_CONNECTION);
    this.#isSent = true;
  }

  /** Counts all received bytes, before the driver parses them. */
  handleBytes(count: number): void {
    this.#receivedBytes += count;
    const { maxResultBytes, onBytes } = this.request;
    if (this.#receivedBytes > maxResultBytes)
      return this.abandon(new PoolError("too_large", `The response would be larger than ${maxResultBytes} bytes`));
    // Nobody holds the bytes of a detached transaction.
    const error = this.#isDetached ? null : onBytes?.(count);
    if (error instanceof Error) this.abandon(error);
  }

  handleParseComplete(): void {
    const statement = this.#parsing.shift();
    if (statement !== undefined && statement !== null) statement.isParsed = true;
  }

  handleBindComplete(): void {
    this.#isBound = true;
  }

  handleDataRow({ fields }: { readonly fields: TextRow }): void {
    if (!this.#isDetached) this.#steps[this.#stepIndex]?.rows?.push(fields);
  }

  handleCommandComplete({ text }: { readonly text: string }): void {
    const { rows = null, notices = null } = this.#steps[this.#stepIndex] ?? {};
    if (rows !== null) {
      const result = { rows, commandTag: text, rowCount: readRowCount(text) };
      this.#results.push(notices === null ? result : { ...result, notices: [...notices] });
    }
    this.#stepIndex += 1;
    this.#isBound = false;
  }

  handleNotice(code: string | undefined): void {
    const step = this.#steps[this.#stepIndex];
    if (code === undefined) return;
    if (step !== undefined) step.notices = (step.notices ?? new Set()).add(code);
    else if (UNREPLICATED_STATES.has(code)) this.#isUnreplicated = true;
  }

  handleEmptyQuery(): void {
    this.handleCommandComplete({ text: "" });
  }

  handleError(error: Error): void {
    if (!(error instanceof pg.DatabaseError) || error.code === undefined) return this.abandon(error);
    if (this.#rejection !== null) return;
    failedIndexes.set(error, this.#stepIndex - this.#firstEntered);
    const isStale = this.#isStale(error.code);
    this.#rejection = { error, isRepeatable: isStale && !this.#mayHaveRunForeign() };
    // All names that the transaction used, so that a retry depends on none of them.
    if (isStale) for (const { use } of this.#steps) if (use.statement !== null) this.#statements.evict(use.statement);
  }

  /** Handles the ReadyForQuery of the Sync. A status of `T` or `E` means that a statement has left a transaction open. */
  handleTransactionEnd(status: string): void {
    if (this.#rejection === null && status !== "I") this.abandon(new Error("a statement left a transaction open"));
    else if (this.#rejection === null && this.#stepIndex !== this.#steps.length)
      this.abandon(new Error("the server responded to fewer statements than were sent"));
    else this.#isEnded = true;
  }

  /** The response is complete; what happens to the connection no longer changes it. */
  conclude(isReusable: boolean): void {
    if (this.#isUnreplicated && !this.request.isReadOnly) {
      const error = new Error("Connection terminated: no synchronous standby has confirmed the commit");
      this.#settle({ kind: "lost", error, isUnanswered: false, isUnsent: false });
    } else if (this.#rejection === null) this.#settle({ kind: "committed", results: this.#results, isReusable });
    else this.#settle({ kind: "rejected", ...this.#rejection, isReusable });
  }

  #settle(outcome: TransactionOutcome): void {
    if (this.#isSettled) return;
    this.#isSettled = true;
    this.callback?.();
    if (this.#begunMs !== null) this.durationMs = performance.now() - this.#begunMs;
    this.hasCommitted = outcome.kind === "committed";
    this.#resolve(outcome);
    this.onEnd?.(outcome.kind !== "lost" && outcome.isReusable);
  }

  /** Stops waiting for the response. The server still sends it, ahead of the responses to the transactions behind it. */
  detach(): void {
    this.#isDetached = true;
    const error = new Error("the transaction was detached");
    this.#resolve({ kind: "lost", error, isUnanswered: !this.hasBegun, isUnsent: !this.#isSent });
  }

  handleDisconnect(): void {
    // An error that the server reported is a response, even when it closes the connection afterwards.
    if (this.#rejection !== null) this.conclude(false);
    else this.abandon(new Error("Connection terminated unexpectedly"));
  }

  /** Ends the transaction and its connection. */
  abandon(error: Error): void {
    if (this.#isEnded) this.conclude(false);
    else this.#settle({ kind: "lost", error, isUnanswered: this.#receivedBytes === 0, isUnsent: !this.#isSent });
    this.#connection?.stream.destroy();
  }

  // The server detects both at Bind, before the statement runs.
  #isStale(code: string): boolean {
    const step = this.#steps[this.#stepIndex];
    return STALE_STATES.has(code) && !this.#isBound && step !== undefined && !step.use.mustParse;
  }

  // What a foreign function did outside the transaction is not rolled back with it.
  #mayHaveRunForeign(): boolean {
    return this.request.shouldReset && this.#stepIndex > this.#firstEntered;
  }

  handleCopyInResponse(): void {
    this.abandon(new Error("a pipelined statement cannot copy"));
  }

  handleCopyData(): void {
    this.abandon(new Error("a pipelined statement cannot copy"));
  }

  handlePortalSuspended(): void {
    this.abandon(new Error("the server suspended a statement that has no row limit"));
  }

  handleRowDescription(): void {}
  handleReadyForQuery(): void {}
}

function readRowCount(commandTag: string): number {
  const count = Number(commandTag.slice(commandTag.lastIndexOf(" ") + 1));
  return Number.isInteger(count) ? count : 0;
}
