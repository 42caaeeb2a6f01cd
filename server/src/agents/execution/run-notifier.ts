import { createNotificationChannel } from "../../db/index.ts";
import type { Worker } from "../../jobs/index.ts";
import type { Observer } from "../../observe/index.ts";
import { holdSession, RUN_CHANNEL, WAITING } from "./sql/node-sessions.ts";

const CANCEL = "cancel:";
/** Sent by private.wake_extension. */
const EXTENSION = "extension:";

interface RunNotifierOptions {
  readonly listenUrl: string;
  /** The holder of the leases of this node. The connection shows other nodes that it lives. */
  readonly owner: string;
  readonly observer: Observer;
  /** Called when a run is queued, or may have been queued while the connection was down. */
  onWaiting(): void;
  onCancel(runId: string): void;
  /** Called for a wake-up of an extension; null means that any may have been missed. */
  onExtension(name: string | null): void;
}

export interface RunNotifier {
  readonly worker: Worker;
  announceWaiting(): void;
  announceCancel(runId: string): void;
}

/** Notifies other nodes of what they would find by polling, and is notified by them. */
export function createRunNotifier(options: RunNotifierOptions): RunNotifier {
  const { listenUrl, owner, observer, onWaiting, onCancel, onExtension } = options;
  const channel = createNotificationChannel({
    url: listenUrl,
    channel: RUN_CHANNEL,
    applicationName: "swarmbase-runs",
    onConnected: (client) => holdSession(client, owner),
    onListening: () => {
      onWaiting();
      onExtension(null);
    },
    onNotification: (payload) => {
      if (payload.startsWith(CANCEL)) onCancel(payload.slice(CANCEL.length));
      else if (payload.startsWith(EXTENSION)) onExtension(payload.slice(EXTENSION.length));
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
