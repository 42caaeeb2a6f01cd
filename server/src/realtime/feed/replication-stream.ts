import { once } from "node:events";
import type { Duplex } from "node:stream";
import pg from "pg";
import { buildStatus, type Lsn } from "./lsn.ts";

export interface ReplicationStreamOptions {
  readonly url: string;
  readonly slotName: string;
  readonly publications: readonly string[];
  /** A message of pgoutput, to be read before this returns. What it throws ends the stream. */
  onMessage(message: Buffer): void;
}

/** The part of the driver's connection that it has no types for. */
interface CopyConnection {
  readonly stream: Duplex;
  on(event: "copyData", listener: (message: { readonly chunk: Buffer }) => void): void;
  once(event: "replicationStart", listener: () => void): void;
  sendCopyFromChunk(chunk: Buffer): void;
}

const CONNECT_TIMEOUT_MS = 10_000;
const PING_INTERVAL_MS = 5_000;
/**
 * A sender that is just going to sleep can miss that there is more WAL (PostgreSQL 16 and later), and then sleeps until
 * something else wakes it. A word from us does: soon after it was last awake, and now and then.
 */
const NUDGE_AFTER_MS = 10;
const NUDGE_INTERVAL_MS = 200;
/** Nothing heard for so long, pings included, means that nobody is there. */
const SILENCE_LIMIT_MS = 20_000;
/** The slot of a node that vanished without a word is gone after this. */
const SENDER_TIMEOUT = "30s";
// Texts must be the same whatever the server's own settings are.
const SESSION = ["timezone=UTC", "datestyle=ISO", "intervalstyle=postgres", "extra_float_digits=1", "bytea_output=hex"];
const [WAL, KEEPALIVE] = ["w", "k"].map((letter) => letter.charCodeAt(0));
const WAL_HEADER_BYTES = 25;

/** One connection with a temporary slot: both live and die together, so nothing stays behind that would hold back WAL. */
export class ReplicationStream {
  /** Resolves, never rejects, with why there is nothing more to come. */
  readonly ended: Promise<Error>;
  readonly #client: pg.Client;
  readonly #connection: CopyConnection;
  readonly #options: ReplicationStreamOptions;
  readonly #end: (reason: Error) => void;
  #received: Lsn = 0n;
  #heardAtMs = performance.now();
  #pinging: NodeJS.Timeout | undefined;
  #nudging: NodeJS.Timeout | undefined;
  #nudge: NodeJS.Timeout | undefined;
  #isOver = false;

  constructor(options: ReplicationStreamOptions) {
    const { promise, resolve } = Promise.withResolvers<Error>();
    this.ended = promise;
    this.#options = options;
    const config: pg.ClientConfig & { replication: string } = {
      connectionString: options.url,
      application_name: "swarmbase-realtime",
      connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
      keepAlive: true,
      options: [...SESSION, `wal_sender_timeout=${SENDER_TIMEOUT}`].map((setting) => `-c ${setting}`).join(" "),
      replication: "database",
    };
    this.#client = new pg.Client(config);
    this.#connection = (this.#client as unknown as { connection: CopyConnection }).connection;
    this.#end = (reason) => {
      this.#isOver = true;
      clearInterval(this.#pinging);
      clearInterval(this.#nudging);
      clearTimeout(this.#nudge);
      resolve(reason);
    };
    this.#client.on("error", (error) => this.#end(error));
    this.#client.on("end", () => this.#end(new Error("the connection was closed")));
  }

  /** Resolves when every transaction that commits from now on will be told. Waits for those under way, as the server must. */
  async start(): Promise<void> {
    const { slotName, publications } = this.#options;
    await this.#unlessEnded(this.#client.connect());
    await this.#unlessEnded(
      this.#client.query(
        `CREATE_REPLICATION_SLOT ${pg.escapeIdentifier(slotName)} TEMPORARY LOGICAL pgoutput (SNAPSHOT 'nothing')`,
      ),
    );
    const started = Promise.withResolvers<void>();
    this.#connection.once("replicationStart", started.resolve);
    this.#connection.on("copyData", ({ chunk }) => this.#take(chunk));
    const names = publications.map((name) => pg.escapeIdentifier(name)).join(",");
    const options = `proto_version '1', messages 'true', publication_names ${pg.escapeLiteral(names)}`;
    this.#client
      .query(`START_REPLICATION SLOT ${pg.escapeIdentifier(slotName)} LOGICAL 0/0 (${options})`)
      .then(() => this.#end(new Error("the server ended the feed")))
      .catch((error: unknown) => {
        started.reject(error);
        this.#end(error instanceof Error ? error : new Error(String(error)));
      });
    await this.#unlessEnded(started.promise);
    this.#heardAtMs = performance.now();
    this.#pinging = setInterval(() => this.#ping(), PING_INTERVAL_MS);
    this.#nudging = setInterval(() => this.#report(false), NUDGE_INTERVAL_MS);
  }

  /** Reads no further; the server then stops to send. */
  pause(): void {
    this.#connection.stream.pause();
  }

  resume(): void {
    this.#connection.stream.resume();
  }

  /** Whatever state it is in, the connection is gone afterwards, and the slot with it. */
  async close(): Promise<void> {
    this.#end(new Error("the feed was stopped"));
    const { stream } = this.#connection;
    stream.destroy();
    // The driver's own way of ending waits for words that a destroyed connection does not say.
    if (!stream.closed) await once(stream, "close").catch(() => {});
  }

  /** The driver does not always say that a connection has failed to those who wait for something on it. */
  async #unlessEnded<T>(work: Promise<T>): Promise<T> {
    const ended = this.ended.then((reason) => Promise.reject(reason));
    return Promise.race([work, ended]);
  }

  #take(chunk: Buffer): void {
    if (this.#isOver) return;
    this.#heardAtMs = performance.now();
    const tag = chunk[0];
    // Whatever is lost is lost with the slot, so having received is all that the server needs to hear.
    const lsn = chunk.readBigInt64BE(1);
    if (lsn > this.#received) this.#received = lsn;
    if (tag === KEEPALIVE) {
      if (chunk[17] === 1) this.#report(false);
      return;
    }
    if (tag !== WAL) return;
    this.#nudge ??= setTimeout(() => {
      this.#nudge = undefined;
      this.#report(false);
    }, NUDGE_AFTER_MS);
    try {
      this.#options.onMessage(chunk.subarray(WAL_HEADER_BYTES));
    } catch (error) {
      this.#end(error instanceof Error ? error : new Error(String(error)));
    }
  }

  #ping(): void {
    if (this.#connection.stream.isPaused()) this.#heardAtMs = performance.now();
    if (performance.now() - this.#heardAtMs > SILENCE_LIMIT_MS)
      return this.#end(new Error("the server has not been heard for a while"));
    this.#report(true);
  }

  #report(wantsReply: boolean): void {
    this.#connection.sendCopyFromChunk(buildStatus(this.#received, wantsReply));
  }
}
