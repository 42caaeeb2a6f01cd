import { createNotificationChannel } from "../../db/index.ts";
import type { Worker } from "../../jobs/index.ts";
import type { Observer } from "../../observe/index.ts";

export const RUN_CHANNEL = "swarmbase_runs";
/** The payload that has other nodes look for runs. */
export const WAITING = "waiting";
const CANCEL = "cancel:";

export interface RunNotifierOptions {
  readonly listenUrl: string;
  readonly observer: Observer;
  /** Called when a run is queued, or may have been queued while the connection was down. */
  onWaiting(): void;
  onCancel(runId: string): void;
}

export interface RunNotifier {
  readonly worker: Worker;
  announceWaiting(): void;
  announceCancel(runId: string): void;
}

/** Notifies other nodes of what they would find by polling, and is notified by them. */
export function createRunNotifier({ listenUrl, observer, onWaiting, onCancel }: RunNotifierOptions): RunNotifier {
  const channel = createNotificationChannel({
    url: listenUrl,
    channel: RUN_CHANNEL,
    applicationName: "swarmbase-runs",
    onListening: onWaiting,
    onNotification: (payload) => {
      if (payload.startsWith(CANCEL)) onCancel(payload.slice(CANCEL.length));
      else onWaiting();
    },
    onLost: (error) => observer.note("agents.relay_lost", { error }),
  });
  return {
    worker: { name: "run-relay", run: channel.run },
    announceWaiting: () => channel.notify(WAITING),
    announceCancel: (runId) => channel.notify(CANCEL + runId),
  };
}
