import { setTimeout as sleep } from "node:timers/promises";
import type pg from "pg";
import { DatabaseClient } from "./hosts/database-client.ts";

const CONNECT_TIMEOUT_MS = 5_000;
const KEEPALIVE_DELAY_MS = 10_000;
const FIRST_RETRY_MS = 100;
const LAST_RETRY_MS = 5_000;

interface KeptConnection {
  /** Not through a transaction pooler: the connection is a session. */
  readonly url: string;
  readonly applicationName: string;
  /** Called for each new connection. Notifications since the last one have been missed. */
  onConnected(client: pg.Client): Promise<void>;
  /** Called after each loss. */
  onDisconnected?(): void;
  /** Called once per outage. */
  onLost(error: Error | null): void;
}

/** Keeps one connection open until the signal aborts, and reconnects whenever it is lost. */
export async function keepConnected(kept: KeptConnection, signal: AbortSignal): Promise<void> {
  let retryMs = FIRST_RETRY_MS;
  let wasLost = false;
  while (!signal.aborted) {
    const fault = await connectOnce(kept, signal, () => {
      retryMs = FIRST_RETRY_MS;
      wasLost = false;
    });
    kept.onDisconnected?.();
    if (signal.aborted) return;
    if (!wasLost) kept.onLost(fault);
    wasLost = true;
    // Not all nodes at once.
    await sleep(retryMs * (0.5 + Math.random()), undefined, { signal }).catch(() => {});
    retryMs = Math.min(retryMs * 2, LAST_RETRY_MS);
  }
}

/** Resolves when the connection has ended, with the error if there was one. */
async function connectOnce(
  { url, applicationName, onConnected }: KeptConnection,
  signal: AbortSignal,
  onReady: () => void,
): Promise<Error | null> {
  const client = new DatabaseClient({
    connectionString: url,
    application_name: applicationName,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    keepAlive: true,
    keepAliveInitialDelayMillis: KEEPALIVE_DELAY_MS,
  });
  const ended = Promise.withResolvers<Error | null>();
  client.on("error", (error) => ended.resolve(error));
  client.on("end", () => ended.resolve(null));
  const stop = (): void => ended.resolve(null);
  signal.addEventListener("abort", stop, { once: true });
  try {
    await client.connect();
    await onConnected(client);
    if (!signal.aborted) onReady();
    return await ended.promise;
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  } finally {
    signal.removeEventListener("abort", stop);
    await client.end().catch(() => {});
  }
}
