import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import type { Worker } from "../jobs/index.ts";
import type { Observer } from "../observe/index.ts";
import { listenForWork, sendNotice } from "./sql/notices.ts";

const CONNECT_TIMEOUT_MS = 5_000;
const KEEPALIVE_DELAY_MS = 10_000;
/** Notices take a lock of the whole database, so any number of reasons within this time make one. */
const NOTICE_INTERVAL_MS = 20;
const FIRST_RETRY_MS = 100;
const LAST_RETRY_MS = 5_000;

export interface RelayOptions {
  readonly listenUrl: string;
  readonly observer: Observer;
  /** Another node says that there is work, or may have said so while nobody listened. */
  onNotice(): void;
}

export interface Relay {
  readonly worker: Worker;
  /** Tells the other nodes that there is work, soon. */
  announce(): void;
}

/** Wakes other nodes and is woken by them, over a connection of its own that no transaction ever waits for. */
export function createRelay(options: RelayOptions): Relay {
  let client: pg.Client | null = null;
  let timer: NodeJS.Timeout | null = null;

  /** The timer is cleared only then, so that one notice is under way at a time. */
  const flush = async (): Promise<void> => {
    // Whoever misses it polls.
    if (client !== null) await sendNotice(client).catch(() => {});
    timer = null;
  };
  const run = async (signal: AbortSignal): Promise<void> => {
    let retryMs = FIRST_RETRY_MS;
    let wasLost = false;
    while (!signal.aborted) {
      const fault = await connectOnce(options, signal, (connected) => {
        client = connected;
        retryMs = FIRST_RETRY_MS;
        wasLost = false;
      });
      client = null;
      if (signal.aborted) return;
      if (!wasLost) options.observer.note("webhook.relay_lost", { error: fault });
      wasLost = true;
      await sleep(retryMs, undefined, { signal }).catch(() => {});
      retryMs = Math.min(retryMs * 2, LAST_RETRY_MS);
    }
  };
  return {
    worker: { name: "webhook-relay", run },
    announce: () => {
      if (client !== null) timer ??= setTimeout(() => void flush(), NOTICE_INTERVAL_MS).unref();
    },
  };
}

async function connectOnce(
  { listenUrl, onNotice }: RelayOptions,
  signal: AbortSignal,
  onConnected: (client: pg.Client) => void,
): Promise<Error | null> {
  const client = new pg.Client({
    connectionString: listenUrl,
    application_name: "swarmbase-webhooks",
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
    const ownId = await listenForWork(client);
    client.on("notification", ({ processId }) => {
      if (processId !== ownId) onNotice();
    });
    if (signal.aborted) return null;
    onConnected(client);
    onNotice();
    return await ended.promise;
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  } finally {
    signal.removeEventListener("abort", stop);
    await client.end().catch(() => {});
  }
}
