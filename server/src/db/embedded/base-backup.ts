import type { Duplex } from "node:stream";
import pg from "pg";
import { EmbeddedError } from "./embedded-error.ts";

export interface BaseBackupOptions {
  /** Of a role with REPLICATION. */
  readonly url: string;
  readonly signal: AbortSignal;
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
const COMMAND = "BASE_BACKUP (LABEL 'swarmbase backup', PROGRESS true, CHECKPOINT 'fast', WAL true, MANIFEST 'no')";

/**
 * Reads the whole cluster as one tar archive, while it is in use. The archive includes the WAL that makes it consistent, so
 * the copy can be started. The server verifies all page checksums and fails at the end when a page is damaged.
 */
export async function* readBaseBackup(o: BaseBackupOptions): AsyncGenerator<Buffer> {
  const config: pg.ClientConfig & { replication: string } = {
    connectionString: o.url,
    application_name: "swarmbase backup",
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    replication: "true",
  };
  const client = new pg.Client(config);
  client.on("error", () => {});
  const { stream } = (client as unknown as { connection: CopyConnection }).connection;
  try {
    await client.connect();
    yield* follow(client, o);
  } finally {
    // An orderly end would wait for the rest of the backup.
    stream.destroy();
  }
}

async function* follow(client: pg.Client, o: BaseBackupOptions): AsyncGenerator<Buffer> {
  const { connection } = client as unknown as { connection: CopyConnection };
  const queue: Buffer[] = [];
  let queuedBytes = 0;
  let end: { readonly fault: Error | null } | null = null;
  let wake = (): void => {};
  const finish = (fault: Error | null): void => {
    end ??= { fault };
    wake();
  };
  const take = (chunk: Buffer): void => {
    if (chunk[0] === ARCHIVE && !chunk.subarray(1).toString().startsWith("base.tar\0")) {
      finish(new EmbeddedError("The database has tablespaces outside its folder, which a backup cannot hold."));
    }
    if (chunk[0] !== CONTENT) return;
    // The driver reuses its buffer.
    queue.push(Buffer.from(chunk.subarray(1)));
    queuedBytes += chunk.length;
    if (queuedBytes > QUEUE_LIMIT_BYTES) connection.stream.pause();
    wake();
  };
  const stop = (): void => finish(new EmbeddedError("The backup was broken off."));
  o.signal.addEventListener("abort", stop, { once: true });
  if (o.signal.aborted) stop();

  connection.on("copyData", ({ chunk }) => take(chunk));
  client.on("error", finish);
  client.on("end", () => finish(new EmbeddedError("The database ended the connection in the middle of the backup.")));
  const query = new pg.Query<{ size?: string | null }>(COMMAND);
  query.on("row", ({ size }) => {
    if (size !== undefined && size !== null) o.onTotal(Number(size) * 1024);
  });
  query.on("error", finish);
  query.on("end", () => finish(null));
  client.query(query);

  try {
    for (;;) {
      const chunk = queue.shift();
      if (chunk !== undefined) {
        queuedBytes -= chunk.length + 1;
        if (connection.stream.isPaused() && queuedBytes <= QUEUE_LIMIT_BYTES / 2) connection.stream.resume();
        yield chunk;
        continue;
      }
      const ended = end as { readonly fault: Error | null } | null;
      if (ended !== null) {
        if (ended.fault === null) return;
        throw ended.fault;
      }
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    }
  } finally {
    o.signal.removeEventListener("abort", stop);
  }
}
