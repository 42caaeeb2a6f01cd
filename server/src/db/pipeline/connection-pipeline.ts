import type pg from "pg";
import { cancelUntil } from "./cancel-statement.ts";
import { Flight, type TransactionOutcome } from "./pipelined-transaction.ts";
import type { TransactionRequest } from "./transaction-request.ts";
import { PreparedStatements } from "./prepared-statements.ts";
import { ResetAnswer } from "./reset-answer.ts";
import { submit, toWireClient } from "./wire.ts";

const lines = new WeakMap<pg.PoolClient, ConnectionPipeline>();

/** What flights know of the connection for as long as it lives. */
export function pipelineOf(client: pg.PoolClient): ConnectionPipeline {
  let line = lines.get(client);
  if (line === undefined) {
    line = new ConnectionPipeline(client);
    lines.set(client, line);
  }
  return line;
}

/** One connection and what is prepared on it. Whoever holds the connection flies one flight at a time, or several together. */
class ConnectionPipeline {
  readonly statements = new PreparedStatements();
  readonly #client: pg.PoolClient;
  /** Sent and not yet answered to the end; the first is the one that is being answered. */
  #air: readonly Flight[] = [];
  #reset: ResetAnswer | null = null;
  #isResetting = false;

  constructor(client: pg.PoolClient) {
    this.#client = client;
    const { connection } = toWireClient(client);
    // What breaks in use is told to the flight; without a listener it would also end the process.
    client.on("error", () => {});
    connection.on("parseComplete", () => this.#air[0]?.handleParseComplete());
    connection.on("bindComplete", () => this.#air[0]?.handleBindComplete());
    connection.on("readyForQuery", ({ status }: { status: string }) => this.#handleReady(status));
    connection.on("end", () => this.#air[0]?.handleDisconnect());
    connection.stream.prependListener("data", (chunk: Buffer) => this.#air[0]?.handleBytes(chunk.length));
  }

  async fly(order: TransactionRequest, signal: AbortSignal | undefined): Promise<TransactionOutcome> {
    const outcome = await this.#flyOnce(order, signal);
    // The server has taken everything back, and now the statements are parsed anew.
    if (outcome.kind === "refused" && outcome.isRepeatable && outcome.isReusable) return this.#flyOnce(order, signal);
    return outcome;
  }

  hasPrepared({ statements }: TransactionRequest): boolean {
    return statements.every(({ role, text }) => this.statements.has(role, text));
  }

  /** One write, and each still a transaction of its own. All that they use must be prepared: none of them may rely on another. */
  flyTogether(orders: readonly TransactionRequest[]): { flights: readonly Flight[]; isReusable: Promise<boolean> } {
    const { promise: isReusable, resolve } = Promise.withResolvers<boolean>();
    const flights = orders.map((order) => new Flight(order, this.statements));
    for (const flight of flights) flight.onEnd = (isLineReusable) => this.#advance(isLineReusable, resolve);
    const [first, ...followers] = flights;
    if (first === undefined) throw new RangeError("nobody is to fly");
    this.#air = flights;
    this.#reset = null;
    first.carry(followers);
    submit(this.#client, first);
    return { flights, isReusable };
  }

  /**
   * The next is given to the driver in the same step that ends the one before it, ahead of any message that is for it.
   * Not earlier: the driver wants no queue, and its read timeout is to count from there.
   */
  #advance(isReusable: boolean, land: (isReusable: boolean) => void): void {
    const [, ...waiting] = this.#air;
    const [next] = waiting;
    if (isReusable && next !== undefined) {
      this.#air = waiting;
      return submit(this.#client, next);
    }
    this.#air = [];
    for (const flight of waiting) {
      flight.onEnd = null;
      flight.abandon(new Error("Connection terminated unexpectedly"));
    }
    this.statements.endTransaction();
    land(isReusable);
  }

  async #flyOnce(order: TransactionRequest, signal: AbortSignal | undefined): Promise<TransactionOutcome> {
    const flight = new Flight(order, this.statements);
    this.#air = [flight];
    this.#reset = order.shouldReset ? new ResetAnswer() : null;
    this.#isResetting = false;
    submit(this.#client, flight);
    if (this.#reset !== null) submit(this.#client, this.#reset);
    const outcome = await (signal === undefined
      ? flight.outcome
      : cancelUntil(flight.outcome, {
          signal,
          client: toWireClient(this.#client),
          giveUp: (error) => flight.abandon(error),
        }));
    this.#air = [];
    this.statements.endTransaction();
    return outcome;
  }

  /** The first is the flight's own, the second that of its reset. */
  #handleReady(status: string): void {
    const [flight] = this.#air;
    if (flight === undefined) return;
    if (this.#isResetting) return flight.conclude(status === "I" && this.#reset?.isClean === true);
    flight.handleTransactionEnd(status);
    if (this.#reset === null) flight.conclude(status === "I");
    else this.#isResetting = true;
  }
}
