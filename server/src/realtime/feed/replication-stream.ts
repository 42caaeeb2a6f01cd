import { once } from "node:events";
import type { Duplex } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { DatabaseClient } from "../../db/index.ts";
import type { Commits } from "../../jobs/index.ts";
import type { FeedStream } from "./feed-stream.ts";

interface ReplicationStreamOptions {
  readonly url: string;
  readonly slotName: string;
  readonly publication: string;
  readonly commits: Commits;
  /** Handles a pgoutput message synchronously. An error ends the stream. */
  onMessage(message: Buffer): void;
}

/** The untyped part of the driver's connection. */
interface CopyConnection {
  readonly stream: Duplex;
  on(event: "copyData", listener: (message: { readonly chunk: Buffer }) => void): void;
  once(event: "replicationStart", listener: () => void): void;
  sendCopyFromChunk(chunk: Buffer): void;
}

const CONNECT_TIMEOUT_MS = 10_000;
const PING_INTERVAL_MS = 5_000;
/**
 * A WAL sender (PostgreSQL 16 and later) that goes to sleep can miss new WAL and then sleeps until something wakes it. A status
 * update does: soon after each message, and periodically while transactions commit.
 */
const NUDGE_AFTER_MS = 10;
const NUDGE_INTERVAL_MS = 200;
/** Longer than commits go unnoticed. */
const NUDGED_FOR_MS = 2_000;
/** Without any message for this long, replies to pings included, the connection is dead. */
const SILENCE_LIMIT_MS = 20_000;
/** The server drops the temporary slot of an unreachable node after this. */
const SENDER_TIMEOUT = "30s";
// The text format of values must not depend on the settings of the server.
const SESSION = ["timezone=UTC", "datestyle=ISO", "intervalstyle=postgres", "extra_float_digits=1", "bytea_output=hex"];
const [WAL, KEEPALIVE] = ["w", "k"].map((letter) => letter.charCodeAt(0));
const STATUS = "r".charCodeAt(0);
const STATUS_BYTES = 34;
const WAL_HEADER_BYTES = 25;

/** A connection with a temporary slot, which is dropped with it, so that no abandoned slot retains WAL. */
export class ReplicationStream implements FeedStream {
  /** Resolves with the reason when the stream ends; never rejects. */
  readonly ended: Promise<Error>;
  readonly slotName: string;
  readonly #client: pg.Client;
  readonly #connection: CopyConnection;
  readonly #options: ReplicationStreamOptions;
  readonly #end: (reason: Error) => void;
  /** A position in the WAL. */
  #received = 0n;
  #heardAtMs = performance.now();
  #pinging: NodeJS.Timeout | undefined;
  readonly #nudging = new AbortController();
  #nudge: NodeJS.Timeout | undefined;
  #isOver = false;

  constructor(options: ReplicationStreamOptions) {
    const { promise, resolve } = Promise.withResolvers<Error>();
    this.ended = promise;
    this.slotName = options.slotName;
    this.#options = options;
    const config: pg.ClientConfig & { replication: string } = {
      connectionString: options.url,
      application_name: "swarmbase-realtime",
      connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
      keepAlive: true,
      options: [...SESSION, `wal_sender_timeout=${SENDER_TIMEOUT}`].map((setting) => `-c ${setting}`).join(" "),
      replication: "database",
    };
    this.#client = new DatabaseClient(config);
    this.#connection = (this.#client as unknown as { connection: CopyConnection }).connection;
    this.#end = (reason) => {
      this.#isOver = true;
      clearInterval(this.#pinging);
      this.#nudging.abort();
      clearTimeout(this.#nudge);
      resolve(reason);
    };
    this.#client.on("error", (error) => this.#end(error));
    this.#client.on("end", () => this.#end(new Error("the connection was closed")));
  }

  /** Resolves when every later commit will be streamed. The server first waits for running transactions. */
  async start(): Promise<void> {
    const { slotName, publication } = this.#options;
    await this.#unlessEnded(this.#client.connect());
    await this.#unlessEnded(
      this.#client.query(
        `CREATE_REPLICATION_SLOT ${pg.escapeIdentifier(slotName)} TEMPORARY LOGICAL pgoutput (SNAPSHOT 'nothing')`,
      ),
    );
    const started = Promise.withResolvers<void>();
    this.#connection.once("replicationStart", started.resolve);
    this.#connection.on("copyData", ({ chunk }) => this.#take(chunk));
    const name = pg.escapeLiteral(pg.escapeIdentifier(publication));
    const options = `proto_version '1', messages 'true', publication_names ${name}`;
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
    void this.#nudgeWhileCommitted(this.#nudging.signal);
  }

  async follow(): Promise<readonly number[]> {
    return [];
  }

  /** Stops reading, so that the server stops sending. */
  pause(): void {
    this.#connection.stream.pause();
  }

  resume(): void {
    this.#connection.stream.resume();
  }

  /** Closes the connection in any state, which drops the slot. */
  async close(): Promise<void> {
    this.#end(new Error("the feed was stopped"));
    const { stream } = this.#connection;
    stream.destroy();
    // The driver's end() would wait for messages that a destroyed connection does not send.
    if (!stream.closed) await once(stream, "close").catch(() => {});
  }

  /** The driver does not always reject pending queries when the connection fails. */
  async #unlessEnded<T>(work: Promise<T>): Promise<T> {
    const ended = this.ended.then((reason) => Promise.reject(reason));
    return Promise.race([work, ended]);
  }

  #take(chunk: Buffer): void {
    if (this.#isOver) return;
    this.#heardAtMs = performance.now();
    const tag = chunk[0];
    // The slot is temporary, so received data can be confirmed before it is processed.
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

  async #nudgeWhileCommitted(signal: AbortSignal): Promise<void> {
    const { commits } = this.#options;
    while (!signal.aborted) {
      const { version } = commits;
      for (let sleptMs = 0; sleptMs < NUDGED_FOR_MS && !signal.aborted; sleptMs += NUDGE_INTERVAL_MS) {
        await sleep(NUDGE_INTERVAL_MS, undefined, { signal }).catch(() => {});
        if (!signal.aborted) this.#report(false);
      }
      await commits.after(version, signal);
    }
  }

  #ping(): void {
    if (this.#connection.stream.isPaused()) this.#heardAtMs = performance.now();
    if (performance.now() - this.#heardAtMs > SILENCE_LIMIT_MS)
      return this.#end(new Error("the server has not answered in time"));
    this.#report(true);
  }

  /** Sends a standby status update: the server may discard WAL before this position. */
  #report(wantsReply: boolean): void {
    const status = Buffer.alloc(STATUS_BYTES);
    status.writeUInt8(STATUS, 0);
    for (const offset of [1, 9, 17]) status.writeBigInt64BE(this.#received, offset);
    // The client time, at offset 25, stays 0: the server uses it for its statistics only.
    status.writeUInt8(wantsReply ? 1 : 0, STATUS_BYTES - 1);
    this.#connection.sendCopyFromChunk(status);
  }
}
