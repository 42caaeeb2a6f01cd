import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import type { Observer } from "../../observe/index.ts";

const CHANNEL = "pgrst";
const CONNECT_TIMEOUT_MS = 5_000;
const KEEPALIVE_DELAY_MS = 10_000;
const FIRST_RETRY_MS = 100;
const LAST_RETRY_MS = 5_000;

export interface DdlListener {
  readonly url: string;
  readonly observer: Observer;
  /** Notices may have been missed until now. */
  onListening(): void;
  /** Somebody says that the schema has changed. */
  onNotice(): void;
}

/** Listens on a connection of its own until the signal, and connects again whenever it is lost. */
export async function listenForDdl(listener: DdlListener, signal: AbortSignal): Promise<void> {
  let retryMs = FIRST_RETRY_MS;
  let wasLost = false;
  while (!signal.aborted) {
    const fault = await listenOnce(listener, signal, () => {
      retryMs = FIRST_RETRY_MS;
      wasLost = false;
    });
    if (signal.aborted) return;
    // Said once for an outage, however long it lasts: the pools say that the database is away.
    if (!wasLost) listener.observer.note("catalogue.listener_lost", { error: fault });
    wasLost = true;
    await sleep(retryMs, undefined, { signal }).catch(() => {});
    retryMs = Math.min(retryMs * 2, LAST_RETRY_MS);
  }
}

async function listenOnce(
  { url, onListening, onNotice }: DdlListener,
  signal: AbortSignal,
  onConnected: () => void,
): Promise<Error | null> {
  const client = new pg.Client({
    connectionString: url,
    application_name: "swarmbase-catalogue",
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    keepAlive: true,
    keepAliveInitialDelayMillis: KEEPALIVE_DELAY_MS,
  });
  const ended = Promise.withResolvers<Error | null>();
  client.on("error", (error) => ended.resolve(error));
  client.on("end", () => ended.resolve(null));
  client.on("notification", ({ payload = "" }) => {
    if (payload === "" || payload === "reload schema") onNotice();
  });
  const stop = (): void => ended.resolve(null);
  signal.addEventListener("abort", stop, { once: true });
  try {
    await client.connect();
    await client.query(`listen ${CHANNEL}`);
    if (signal.aborted) return null;
    onConnected();
    onListening();
    return await ended.promise;
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  } finally {
    signal.removeEventListener("abort", stop);
    await client.end().catch(() => {});
  }
}
