import { createNotificationChannel } from "../db/index.ts";
import type { Worker } from "../jobs/index.ts";
import type { Observer } from "../observe/index.ts";

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

/** Wakes the other nodes, and is woken by them. */
export function createRelay({ listenUrl, observer, onNotice }: RelayOptions): Relay {
  const channel = createNotificationChannel({
    url: listenUrl,
    channel: "swarmbase_webhooks",
    applicationName: "swarmbase-webhooks",
    onListening: onNotice,
    onNotification: onNotice,
    onLost: (error) => observer.note("webhook.relay_lost", { error }),
  });
  return { worker: { name: "webhook-relay", run: channel.run }, announce: () => channel.notify() };
}
