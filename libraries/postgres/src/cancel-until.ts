import pg from "pg";
import { setTimeout as sleep } from "node:timers/promises";
import type { WireClient, WireConnection } from "./wire.ts";

const CANCEL_TIMEOUT_MS = 2_000;
const REPEAT_AFTER_MS = 250;
const MAX_REQUESTS = 20;

interface CancelConnection extends WireConnection {
  connect(port: number | string, host?: string): void;
  requestSsl(): void;
  cancel(processID: number, secretKey: number): void;
}

interface CancelOptions {
  readonly signal: AbortSignal | undefined;
  /** The maximum duration of the work; null is no limit. */
  readonly timeLimitMs: number | null;
  readonly client: WireClient;
  /** Ends the awaited work together with its connection. */
  giveUp(error: Error): void;
}

interface Cancelling {
  /** Aborts when the work has ended. */
  readonly settled: AbortController;
  readonly ended: Promise<void>;
}

/**
 * Waits for the work of a connection, and cancels it when the signal aborts or the work takes too long. Resolves only when no
 * cancel request is in progress any more: a late one would hit the next user of the connection.
 */
export async function cancelUntil<T>(awaited: Promise<T>, options: CancelOptions): Promise<T> {
  const { signal, timeLimitMs } = options;
  if (signal === undefined && timeLimitMs === null) return awaited;
  let cancelling: Cancelling | null = null;
  const cancel = (): void => {
    if (cancelling !== null) return;
    const settled = new AbortController();
    cancelling = { settled, ended: cancelRepeatedly(options, settled.signal) };
  };
  const timer = timeLimitMs === null ? undefined : setTimeout(cancel, timeLimitMs);
  if (signal?.aborted === true) cancel();
  else signal?.addEventListener("abort", cancel, { once: true });
  try {
    return await awaited;
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener("abort", cancel);
    await endCancelling(cancelling);
  }
}

async function endCancelling(cancelling: Cancelling | null): Promise<void> {
  cancelling?.settled.abort();
  await cancelling?.ended;
}

/** A cancel request that overtakes the statement finds nothing to cancel, so one is not always enough. */
async function cancelRepeatedly({ client, giveUp }: CancelOptions, settled: AbortSignal): Promise<void> {
  try {
    for (let request = 0; request < MAX_REQUESTS && !settled.aborted; request += 1) {
      await cancelStatement(client);
      await sleep(REPEAT_AFTER_MS, undefined, { signal: settled }).catch(() => {});
    }
    if (!settled.aborted) giveUp(new Error("Connection terminated: the statement did not stop when it was cancelled"));
  } catch (error) {
    giveUp(new Error("Connection terminated: the statement could not be cancelled", { cause: error }));
  }
}

/** The server closes the connection once it has sent the signal; only then is it certain which statement it hits. */
function cancelStatement(client: WireClient): Promise<void> {
  const { host, port, ssl, sslNegotiation, processID, secretKey } = client;
  const connection = new pg.Connection({ ssl, sslNegotiation } as pg.ConnectionConfig) as unknown as CancelConnection;
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const late = setTimeout(
    () => connection.stream.destroy(new Error("the server did not respond in time")),
    CANCEL_TIMEOUT_MS,
  );
  let isSent = false;
  const cancel = (): void => {
    isSent = true;
    connection.cancel(processID, secretKey);
  };
  const isEncrypted = ssl !== false && ssl !== undefined;
  connection.on("connect", () => {
    if (!isEncrypted) cancel();
    else if (sslNegotiation !== "direct") connection.requestSsl();
  });
  connection.on("sslconnect", cancel);
  connection.on("error", reject);
  connection.on("end", () =>
    isSent ? resolve() : reject(new Error("the server closed the connection before the cancel request was sent")),
  );
  if (host.startsWith("/")) connection.connect(`${host}/.s.PGSQL.${port}`);
  else connection.connect(port, host);
  return promise.finally(() => clearTimeout(late));
}
