import pg from "pg";
import { AppError } from "../../errors/index.ts";
import type { TransactionRequest, StatementResult, TextRow } from "./transaction-request.ts";
import { MessageWriter } from "./message-writer.ts";
import type { PreparedStatement, PreparedStatements, StatementUse } from "./prepared-statements.ts";
import { RESET_CONNECTION } from "./sql/reset-connection.ts";
import type { Answerable, WireConnection } from "./wire.ts";

/**
 * landed: committed, or taken back as ordered. refused: the server said no and has taken everything back.
 * lost: the connection broke, and when something had been sent nobody knows what became of it.
 */
export type TransactionOutcome =
  | { readonly kind: "landed"; readonly results: readonly StatementResult[]; readonly isReusable: boolean }
  | { readonly kind: "refused"; readonly error: Error; readonly isRepeatable: boolean; readonly isReusable: boolean }
  | { readonly kind: "lost"; readonly error: Error; readonly isUnanswered: boolean; readonly isUnsent: boolean };

interface Step {
  readonly use: StatementUse;
  readonly values: readonly (string | null)[];
  readonly text: string;
  readonly rows: TextRow[] | null;
}

// The statement has gone from the connection; its result would now have other columns.
const STALE_STATES = new Set(["26000", "0A000"]);
const FIRST_AFTER_ENTER = 1;

const failedAt = new WeakMap<Error, number>();

/** Which statement of its flight an error came from, counted from 0; null when it was the enter statement or no statement. */
export function failedStatementOf(error: Error): number | null {
  const at = failedAt.get(error) ?? -1;
  return at < 0 ? null : at;
}

// One for all: a flight is written in one go.
const writer = new MessageWriter();

/**
 * One write, one implicit transaction, one answer: enter, then the statements, then one Sync.
 *
 * Steps are answered in order, each up to its CommandComplete. An error ends the order: the server skips to the Sync. The
 * driver forgets a statement at its first error and never tells it of the ReadyForQuery, so that is heard from the
 * connection. Rows alone are no success: constraints that wait for the end of the transaction fail at the Sync.
 */
export class Flight implements Answerable {
  readonly outcome: Promise<TransactionOutcome>;
  /** Set by the driver, whose read timeout would otherwise end the connection under whoever has it by then. */
  callback: (() => void) | null = null;
  /** Told once, when nothing more is to come of it: whether the connection is of further use. */
  onEnd: ((isReusable: boolean) => void) | null = null;
  readonly #resolve: (outcome: TransactionOutcome) => void;
  readonly order: TransactionRequest;
  readonly #statements: PreparedStatements;
  readonly #steps: readonly Step[];
  readonly #parsing: (PreparedStatement | null)[] = [];
  readonly #results: StatementResult[] = [];
  #at = 0;
  #isBound = false;
  #isSent = false;
  #isEnded = false;
  #isSettled = false;
  #isDetached = false;
  #followers: readonly Flight[] = [];
  #begunMs: number | null = null;
  #durationMs = 0;
  #hasCommitted = false;
  #receivedBytes = 0;
  #refusal: { readonly error: Error; readonly isRepeatable: boolean } | null = null;
  #connection: WireConnection | null = null;

  constructor(order: TransactionRequest, statements: PreparedStatements) {
    const { promise, resolve } = Promise.withResolvers<TransactionOutcome>();
    this.outcome = promise;
    this.#resolve = resolve;
    this.order = order;
    this.#statements = statements;
    statements.beginTransaction();
    this.#steps = order.statements.map(({ text, values, role, isAnswered }) => {
      const use = statements.use(role, text);
      if (use.mustParse) this.#parsing.push(use.statement);
      return { use, text, values, rows: isAnswered ? [] : null };
    });
  }

  /** It is the one that the server is answering, or has been. */
  get hasBegun(): boolean {
    return this.#begunMs !== null;
  }

  get hasCommitted(): boolean {
    return this.#hasCommitted;
  }

  /** From its turn on the connection to its end. */
  get durationMs(): number {
    return this.#durationMs;
  }

  /** Those are written with it, each up to a Sync of its own, and submitted when it is their turn to be answered. */
  carry(followers: readonly Flight[]): void {
    this.#followers = followers;
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
    for (const follower of this.#followers) follower.#write();
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
    if (this.order.shouldReset) writer.query(RESET_CONNECTION);
    this.#isSent = true;
  }

  /** Everything that has come, before the driver looks at it. */
  handleBytes(count: number): void {
    this.#receivedBytes += count;
    if (this.#receivedBytes <= this.order.maxResultBytes) return;
    this.abandon(
      new AppError("BAD_REQUEST", `The answer is larger than ${this.order.maxResultBytes} bytes`, {
        hint: "Ask for fewer rows or columns at a time.",
        foreign: { code: "54000", status: 500 },
      }),
    );
  }

  handleParseComplete(): void {
    const statement = this.#parsing.shift();
    if (statement !== undefined && statement !== null) statement.isParsed = true;
  }

  handleBindComplete(): void {
    this.#isBound = true;
  }

  handleDataRow({ fields }: { readonly fields: TextRow }): void {
    if (!this.#isDetached) this.#steps[this.#at]?.rows?.push(fields);
  }

  handleCommandComplete({ text }: { readonly text: string }): void {
    const rows = this.#steps[this.#at]?.rows ?? null;
    if (rows !== null) this.#results.push({ rows, commandTag: text, rowCount: readRowCount(text) });
    this.#at += 1;
    this.#isBound = false;
  }

  handleEmptyQuery(): void {
    this.handleCommandComplete({ text: "" });
  }

  handleError(error: Error): void {
    if (!(error instanceof pg.DatabaseError) || error.code === undefined) return this.abandon(error);
    if (this.#refusal !== null) return;
    failedAt.set(error, this.#at - FIRST_AFTER_ENTER);
    const isStale = this.#isStale(error.code);
    this.#refusal = { error, isRepeatable: isStale && !this.#mayHaveRunForeign() };
    // Every name that the flight relied on, so that a second try relies on none.
    if (isStale) for (const { use } of this.#steps) if (use.statement !== null) this.#statements.evict(use.statement);
  }

  /** Everything up to the Sync is done; `T` and `E` are transactions that a statement has left open. */
  handleTransactionEnd(status: string): void {
    if (this.#refusal === null && status !== "I")
      this.abandon(new Error("a statement of a flight left a transaction open"));
    else if (this.#refusal === null && this.#at !== this.#steps.length)
      this.abandon(new Error("the server answered fewer statements than were sent"));
    else this.#isEnded = true;
  }

  /** The answer is complete. What becomes of the connection no longer changes it. */
  conclude(isReusable: boolean): void {
    if (this.#refusal === null) this.#settle({ kind: "landed", results: this.#results, isReusable });
    else this.#settle({ kind: "refused", ...this.#refusal, isReusable });
  }

  #settle(outcome: TransactionOutcome): void {
    if (this.#isSettled) return;
    this.#isSettled = true;
    this.callback?.();
    if (this.#begunMs !== null) this.#durationMs = performance.now() - this.#begunMs;
    this.#hasCommitted = outcome.kind === "landed";
    this.#resolve(outcome);
    this.onEnd?.(outcome.kind !== "lost" && outcome.isReusable);
  }

  /** Nobody awaits the answer any more. It still has to come, for the sake of those behind it on the connection. */
  desert(): void {
    this.#isDetached = true;
    const error = new Error("The answer was not waited for");
    this.#resolve({ kind: "lost", error, isUnanswered: !this.hasBegun, isUnsent: !this.#isSent });
  }

  handleDisconnect(): void {
    // An error that the server has told us is an answer, even when it then hangs up.
    if (this.#refusal !== null) this.conclude(false);
    else this.abandon(new Error("Connection terminated unexpectedly"));
  }

  /** Nothing more is awaited, and the connection is of no use to anybody. */
  abandon(error: Error): void {
    if (this.#isEnded) this.conclude(false);
    else this.#settle({ kind: "lost", error, isUnanswered: this.#receivedBytes === 0, isUnsent: !this.#isSent });
    this.#connection?.stream.destroy();
  }

  // Both are found out at Bind, before the statement runs.
  #isStale(code: string): boolean {
    const step = this.#steps[this.#at];
    return STALE_STATES.has(code) && !this.#isBound && step !== undefined && !step.use.mustParse;
  }

  // What such a function did outside the transaction is not taken back with it.
  #mayHaveRunForeign(): boolean {
    return this.order.shouldReset && this.#at > FIRST_AFTER_ENTER;
  }

  handleCopyInResponse(): void {
    this.abandon(new Error("a statement of a flight cannot copy"));
  }

  handleCopyData(): void {
    this.abandon(new Error("a statement of a flight cannot copy"));
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
