import { once } from "node:events";
import type { Duplex } from "node:stream";
import pg from "pg";
import { renderLsn } from "../archive/lsn.ts";

export interface WalChunk {
  readonly start: bigint;
  readonly content: Buffer;
}

interface WalStreamOptions {
  /** Of a role with REPLICATION. */
  readonly url: string;
  readonly slotName: string;
  readonly timeline: number;
  readonly start: bigint;
  /** Called with contiguous parts of the WAL. */
  onChunk(chunk: WalChunk): void;
}

/** The part of the driver's connection that it has no types for. */
interface CopyConnection {
  readonly stream: Duplex;
  on(event: "copyData", listener: (message: { readonly chunk: Buffer }) => void): void;
  once(event: "replicationStart", listener: () => void): void;
  sendCopyFromChunk(chunk: Buffer): void;
}

const CONNECT_TIMEOUT_MS = 10_000;
/** A WAL sender that has gone to sleep looks for new WAL after each status update. */
const STATUS_INTERVAL_MS = 500;
const SENDER_TIMEOUT = "60s";
const [WAL, KEEPALIVE] = ["w", "k"].map((letter) => letter.charCodeAt(0));
const STATUS = "r".charCodeAt(0);
const STATUS_BYTES = 34;
const WAL_HEADER_BYTES = 25;

/** The bytes of the WAL as the server writes them, through a physical slot, which keeps what was not confirmed. */
export class WalStream {
  /** Resolves with the reason when the stream ends; never rejects. */
  readonly ended: Promise<Error>;
  readonly #client: pg.Client;
  readonly #connection: CopyConnection;
  readonly #options: WalStreamOptions;
  readonly #end: (reason: Error) => void;
  #received: bigint;
  #confirmed: bigint;
  #reporting: NodeJS.Timeout | undefined;

  constructor(options: WalStreamOptions) {
    const { promise, resolve } = Promise.withResolvers<Error>();
    this.ended = promise;
    this.#options = options;
    [this.#received, this.#confirmed] = [options.start, options.start];
    const config: pg.ClientConfig & { replication: string } = {
      connectionString: options.url,
      application_name: "swarmbase-backup",
      connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
      keepAlive: true,
      options: `-c wal_sender_timeout=${SENDER_TIMEOUT}`,
      replication: "true",
    };
    this.#client = new pg.Client(config);
    this.#connection = (this.#client as unknown as { connection: CopyConnection }).connection;
    this.#end = (reason) => {
      clearInterval(this.#reporting);
      resolve(reason);
    };
    this.#client.on("error", (error) => this.#end(error));
    this.#client.on("end", () => this.#end(new Error("the database closed the connection")));
  }

  async start(): Promise<void> {
    const { slotName, start, timeline } = this.#options;
    await this.#unlessEnded(this.#client.connect());
    const started = Promise.withResolvers<void>();
    this.#connection.once("replicationStart", started.resolve);
    this.#connection.on("copyData", ({ chunk }) => this.#take(chunk));
    this.#client
      .query(
        `START_REPLICATION SLOT ${pg.escapeIdentifier(slotName)} PHYSICAL ${renderLsn(start)} TIMELINE ${timeline}`,
      )
      .then(() => this.#end(new Error("the database ended the stream of its WAL")))
      .catch((error: unknown) => {
        started.reject(error);
        this.#end(error instanceof Error ? error : new Error(String(error)));
      });
    await this.#unlessEnded(started.promise);
    this.#report();
    this.#reporting = setInterval(() => this.#report(), STATUS_INTERVAL_MS);
  }

  pause(): void {
    this.#connection.stream.pause();
  }

  resume(): void {
    this.#connection.stream.resume();
  }

  /** The server may discard the WAL before this position. */
  confirm(position: bigint): void {
    this.#confirmed = position;
    this.#report();
  }

  async close(): Promise<void> {
    this.#end(new Error("the stream was stopped"));
    const { stream } = this.#connection;
    stream.destroy();
    if (!stream.closed) await once(stream, "close").catch(() => {});
  }

  /** The driver does not always reject pending queries when the connection fails. */
  async #unlessEnded<T>(work: Promise<T>): Promise<T> {
    return Promise.race([work, this.ended.then((reason) => Promise.reject(reason))]);
  }

  #take(message: Buffer): void {
    if (message[0] === KEEPALIVE) {
      if (message[17] === 1) this.#report();
      return;
    }
    if (message[0] !== WAL) return;
    const start = message.readBigInt64BE(1);
    if (start !== this.#received) return this.#end(new Error("the database sent its WAL with a gap"));
    // The driver reuses its buffer.
    const content = Buffer.from(message.subarray(WAL_HEADER_BYTES));
    this.#received += BigInt(content.length);
    this.#options.onChunk({ start, content });
  }

  #report(): void {
    const status = Buffer.alloc(STATUS_BYTES);
    status.writeUInt8(STATUS, 0);
    // Written and applied positions are for monitoring; the flushed one, at 9, decides what the slot keeps.
    for (const offset of [1, 9, 17]) status.writeBigInt64BE(this.#confirmed, offset);
    this.#connection.sendCopyFromChunk(status);
  }
}
