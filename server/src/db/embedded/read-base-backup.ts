import { type Duplex, PassThrough } from "node:stream";
import pg from "pg";
import { EmbeddedError } from "./embedded-error.ts";

interface BaseBackupOptions {
  /** Of a role with REPLICATION. */
  readonly url: string;
  readonly signal: AbortSignal;
  /** Whether the archive includes the WAL that makes it consistent, so that the copy can be started. */
  readonly includesWal: boolean;
  /** Called with the position in the WAL at which the copy begins, and at the end with the one at which it is consistent. */
  onPosition?(lsn: string): void;
  /** Called with the approximate size, once the server knows it. */
  onTotal(bytes: number): void;
}

/** The part of the driver's connection that it has no types for. */
interface CopyConnection {
  readonly stream: Duplex;
  on(event: "copyData", listener: (message: { readonly chunk: Buffer }) => void): void;
}

const CONNECT_TIMEOUT_MS = 10_000;
const QUEUE_LIMIT_BYTES = 8 * 1024 * 1024;
const [ARCHIVE, CONTENT] = ["n", "d"].map((letter) => letter.charCodeAt(0));
const OPTIONS = "LABEL 'swarmbase backup', PROGRESS true, CHECKPOINT 'fast', MANIFEST 'no'";

/**
 * Reads the whole cluster as one tar archive, while it is in use. The server verifies all page checksums and fails at the end
 * when a page is damaged.
 */
export async function* readBaseBackup(o: BaseBackupOptions): AsyncGenerator<Buffer> {
  const config: pg.ClientConfig & { replication: string } = {
    connectionString: o.url,
    application_name: "swarmbase backup",
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    replication: "true",
  };
  const client = new pg.Client(config);
  const { connection } = client as unknown as { connection: CopyConnection };
  const archive = new PassThrough({ highWaterMark: QUEUE_LIMIT_BYTES });
  // The reader of the archive gets the error; without a listener it would also end the process.
  archive.on("error", () => {});
  const fail = (error: Error): void => {
    if (!archive.writableEnded) archive.destroy(error);
  };
  const stop = (): void => fail(new EmbeddedError("The backup was interrupted."));
  client.on("error", fail);
  client.on("end", () => fail(new EmbeddedError("The database ended the connection in the middle of the backup.")));
  connection.on("copyData", ({ chunk }) => {
    if (chunk[0] === ARCHIVE && !chunk.subarray(1).toString().startsWith("base.tar\0"))
      fail(new EmbeddedError("The database has tablespaces outside its folder, which a backup cannot hold."));
    // The driver reuses its buffer.
    if (chunk[0] === CONTENT && !archive.write(Buffer.from(chunk.subarray(1)))) connection.stream.pause();
  });
  archive.on("drain", () => connection.stream.resume());
  const query = new pg.Query<{ size?: string | null; recptr?: string }>(
    `BASE_BACKUP (${OPTIONS}, WAL ${o.includesWal}${o.includesWal ? "" : ", WAIT false"})`,
  );
  query.on("row", ({ size, recptr }) => {
    if (size !== undefined && size !== null) o.onTotal(Number(size) * 1024);
    if (recptr !== undefined) o.onPosition?.(recptr);
  });
  query.on("error", fail);
  query.on("end", () => archive.end());
  o.signal.addEventListener("abort", stop, { once: true });
  try {
    o.signal.throwIfAborted();
    await client.connect();
    client.query(query);
    yield* archive as AsyncIterable<Buffer>;
  } finally {
    o.signal.removeEventListener("abort", stop);
    // An orderly end would wait for the rest of the backup.
    connection.stream.destroy();
  }
}
