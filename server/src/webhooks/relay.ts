import type pg from "pg";
import { keepConnected } from "../db/index.ts";
import type { Worker } from "../jobs/index.ts";
import type { Observer } from "../observe/index.ts";
import { listenForWork, sendNotice } from "./sql/notices.ts";

/** Notices take a lock of the whole database, so any number of reasons within this time make one. */
const NOTICE_INTERVAL_MS = 20;

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
export function createRelay({ listenUrl, observer, onNotice }: RelayOptions): Relay {
  let client: pg.Client | null = null;
  let timer: NodeJS.Timeout | null = null;

  /** The timer is cleared only then, so that one notice is under way at a time. */
  const flush = async (): Promise<void> => {
    // Whoever misses it polls.
    if (client !== null) await sendNotice(client).catch(() => {});
    timer = null;
  };
  const run = (signal: AbortSignal): Promise<void> =>
    keepConnected(
      {
        url: listenUrl,
        applicationName: "swarmbase-webhooks",
        onConnected: async (connected) => {
          const ownId = await listenForWork(connected);
          connected.on("notification", ({ processId }) => {
            if (processId !== ownId) onNotice();
          });
          client = connected;
          onNotice();
        },
        onDisconnected: () => {
          client = null;
        },
        onLost: (error) => observer.note("webhook.relay_lost", { error }),
      },
      signal,
    );
  return {
    worker: { name: "webhook-relay", run },
    announce: () => {
      if (client !== null) timer ??= setTimeout(() => void flush(), NOTICE_INTERVAL_MS).unref();
    },
  };
}
