import type pg from "pg";
import { perObject } from "./per-object.ts";
import { cancelUntil } from "./cancel-until.ts";
import { PipelinedTransaction, type TransactionOutcome } from "./pipelined-transaction.ts";
import type { TransactionRequest } from "./transaction-request.ts";
import { PreparedStatements } from "./prepared-statements.ts";
import { ResetAnswer } from "./reset-answer.ts";
import { submit, toWireClient } from "./wire.ts";

export const connectionPipelineOf = perObject((client: pg.PoolClient) => new ConnectionPipeline(client));

/** One connection and its prepared statements. Its holder runs one transaction at a time, or several that are sent together. */
class ConnectionPipeline {
  readonly statements = new PreparedStatements();
  readonly #client: pg.PoolClient;
  /** Sent and without a complete response; the server is responding to the first one. */
  #sent: readonly PipelinedTransaction[] = [];
  #reset: ResetAnswer | null = null;
  #isResetting = false;

  constructor(client: pg.PoolClient) {
    this.#client = client;
    const { connection } = toWireClient(client);
    // The transaction reports what breaks while it runs; without a listener the error would also end the process.
    client.on("error", () => {});
    connection.on("parseComplete", () => this.#sent[0]?.handleParseComplete());
    connection.on("bindComplete", () => this.#sent[0]?.handleBindComplete());
    connection.on("notice", ({ code }: { code?: string }) => this.#sent[0]?.handleNotice(code));
    connection.on("readyForQuery", ({ status }: { status: string }) => this.#handleReady(status));
    connection.on("end", () => this.#sent[0]?.handleDisconnect());
    connection.stream.prependListener("data", (chunk: Buffer) => this.#sent[0]?.handleBytes(chunk.length));
  }

  async run(request: TransactionRequest, signal: AbortSignal | undefined): Promise<TransactionOutcome> {
    const outcome = await this.#runOnce(request, signal);
    // The server has rolled everything back, and the statements are parsed again now.
    if (outcome.kind === "rejected" && outcome.isRepeatable && outcome.isReusable)
      return this.#runOnce(request, signal);
    return outcome;
  }

  hasPrepared({ statements }: TransactionRequest): boolean {
    return statements.every(({ role, text }) => this.statements.has(role, text));
  }

  /** Sends several transactions in one write. Their statements must be prepared already: none may depend on a Parse of another one. */
  runTogether(requests: readonly TransactionRequest[]): {
    transactions: readonly PipelinedTransaction[];
    isReusable: Promise<boolean>;
  } {
    const { promise: isReusable, resolve } = Promise.withResolvers<boolean>();
    const transactions = requests.map((request) => new PipelinedTransaction(request, this.statements));
    for (const transaction of transactions)
      transaction.onEnd = (isConnectionReusable) => this.#advance(isConnectionReusable, resolve);
    const [first, ...following] = transactions;
    if (first === undefined) throw new RangeError("there is no transaction to run");
    this.#sent = transactions;
    this.#reset = null;
    first.sendWith(following);
    submit(this.#client, first);
    return { transactions, isReusable };
  }

  /**
   * Submits the next transaction in the same tick that ends the one before it, ahead of any message for it. Not earlier: the
   * driver must not queue it, and its read timeout counts from the submission.
   */
  #advance(isReusable: boolean, onDone: (isReusable: boolean) => void): void {
    const [, ...waiting] = this.#sent;
    const [next] = waiting;
    if (isReusable && next !== undefined) {
      this.#sent = waiting;
      return submit(this.#client, next);
    }
    this.#sent = [];
    for (const transaction of waiting) {
      transaction.onEnd = null;
      transaction.abandon(new Error("Connection terminated unexpectedly"));
    }
    this.statements.endTransaction();
    onDone(isReusable);
  }

  async #runOnce(request: TransactionRequest, signal: AbortSignal | undefined): Promise<TransactionOutcome> {
    const transaction = new PipelinedTransaction(request, this.statements);
    this.#sent = [transaction];
    this.#reset = request.shouldReset ? new ResetAnswer() : null;
    this.#isResetting = false;
    submit(this.#client, transaction);
    if (this.#reset !== null) submit(this.#client, this.#reset);
    const outcome = await cancelUntil(transaction.outcome, {
      signal,
      timeLimitMs: request.timeLimitMs,
      client: toWireClient(this.#client),
      giveUp: (error) => transaction.abandon(error),
    });
    this.#sent = [];
    this.statements.endTransaction();
    return outcome;
  }

  /** The first ReadyForQuery belongs to the transaction, the second one to its reset. */
  #handleReady(status: string): void {
    const [transaction] = this.#sent;
    if (transaction === undefined) return;
    if (this.#isResetting) return transaction.conclude(status === "I" && this.#reset?.isClean === true);
    transaction.handleTransactionEnd(status);
    if (this.#reset === null) transaction.conclude(status === "I");
    else this.#isResetting = true;
  }
}
