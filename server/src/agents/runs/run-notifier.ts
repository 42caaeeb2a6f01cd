import type pg from "pg";
import { keepConnected } from "../../db/index.ts";
import type { Worker } from "../../jobs/index.ts";
import type { Observer } from "../../observe/index.ts";
import { listenForRuns, sendRunNotices } from "./sql/notices.ts";

/** Notices take a lock of the whole database, so any number of reasons within this time make one statement. */
const NOTICE_INTERVAL_MS = 20;
const WAITING = "waiting";
const CANCEL = "cancel:";

export interface RunNotifierOptions {
  readonly listenUrl: string;
  readonly observer: Observer;
  /** A run waits somewhere, or may have begun to while nobody listened. */
  onWaiting(): void;
  onCancel(runId: string): void;
}

export interface RunNotifier {
  readonly worker: Worker;
  announceWaiting(): void;
  announceCancel(runId: string): void;
}

/** Tells other nodes what they would find out by looking, and hears it from them. */
export function createRunNotifier({ listenUrl, observer, onWaiting, onCancel }: RunNotifierOptions): RunNotifier {
  let client: pg.Client | null = null;
  let timer: NodeJS.Timeout | null = null;
  let payloads = new Set<string>();

  const flush = async (): Promise<void> => {
    const sent = [...payloads];
    payloads = new Set();
    // Whoever misses it looks by itself.
    if (client !== null) await sendRunNotices(client, sent).catch(() => {});
    timer = null;
    if (payloads.size > 0) schedule();
  };
  const schedule = (): void => {
    timer ??= setTimeout(() => void flush(), NOTICE_INTERVAL_MS).unref();
  };
  const announce = (payload: string): void => {
    if (client === null) return;
    payloads.add(payload);
    schedule();
  };
  const run = (signal: AbortSignal): Promise<void> =>
    keepConnected(
      {
        url: listenUrl,
        applicationName: "swarmbase-runs",
        onConnected: async (connected) => {
          const ownId = await listenForRuns(connected);
          connected.on("notification", ({ processId, payload }) => {
            if (processId === ownId) return;
            if (payload?.startsWith(CANCEL) === true) onCancel(payload.slice(CANCEL.length));
            else onWaiting();
          });
          client = connected;
          onWaiting();
        },
        onDisconnected: () => {
          client = null;
        },
        onLost: (error) => observer.note("agents.relay_lost", { error }),
      },
      signal,
    );
  return {
    worker: { name: "run-relay", run },
    announceWaiting: () => announce(WAITING),
    announceCancel: (runId) => announce(CANCEL + runId),
  };
}
