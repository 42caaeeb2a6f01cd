import type pg from "pg";
import { cancelUntil } from "./cancel-statement.ts";
import { Flight, type FlightOutcome } from "./flight.ts";
import type { FlightOrder } from "./flight-order.ts";
import { PreparedStatements } from "./prepared-statements.ts";
import { ResetAnswer } from "./reset-answer.ts";
import { submit, toWireClient } from "./wire.ts";

const lines = new WeakMap<pg.PoolClient, FlightLine>();

/** What flights know of the connection for as long as it lives. */
export function lineOf(client: pg.PoolClient): FlightLine {
  let line = lines.get(client);
  if (line === undefined) {
    line = new FlightLine(client);
    lines.set(client, line);
  }
  return line;
}

/** One connection and what is prepared on it. Whoever holds the connection flies one flight at a time. */
class FlightLine {
  readonly statements = new PreparedStatements();
  readonly #client: pg.PoolClient;
  #flight: Flight | null = null;
  #reset: ResetAnswer | null = null;
  #isResetting = false;

  constructor(client: pg.PoolClient) {
    this.#client = client;
    const { connection } = toWireClient(client);
    // What breaks in use is told to the flight; without a listener it would also end the process.
    client.on("error", () => {});
    connection.on("parseComplete", () => this.#flight?.handleParseComplete());
    connection.on("bindComplete", () => this.#flight?.handleBindComplete());
    connection.on("readyForQuery", ({ status }: { status: string }) => this.#handleReady(status));
    connection.on("end", () => this.#flight?.handleDisconnect());
    connection.stream.prependListener("data", (chunk: Buffer) => this.#flight?.handleBytes(chunk.length));
  }

  async fly(order: FlightOrder, signal: AbortSignal | undefined): Promise<FlightOutcome> {
    const outcome = await this.#flyOnce(order, signal);
    // The server has taken everything back, and now the statements are parsed anew.
    if (outcome.kind === "refused" && outcome.isRepeatable && outcome.isReusable) return this.#flyOnce(order, signal);
    return outcome;
  }

  async #flyOnce(order: FlightOrder, signal: AbortSignal | undefined): Promise<FlightOutcome> {
    const flight = new Flight(order, this.statements);
    this.#flight = flight;
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
    this.#flight = null;
    this.statements.endFlight();
    return outcome;
  }

  /** The first is the flight's own, the second that of its reset. */
  #handleReady(status: string): void {
    const flight = this.#flight;
    if (flight === null) return;
    if (this.#isResetting) return flight.conclude(status === "I" && this.#reset?.isClean === true);
    flight.handleTransactionEnd(status);
    if (this.#reset === null) flight.conclude(status === "I");
    else this.#isResetting = true;
  }
}
