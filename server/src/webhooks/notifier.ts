import { createNotificationChannel } from "../db/index.ts";
import type { Worker } from "../jobs/index.ts";
import type { Observer } from "../observe/index.ts";

export interface NotifierOptions {
  readonly listenUrl: string;
  readonly observer: Observer;
  /** Called when another node has notified, and after each connect, because notifications may have been missed. */
  onNotice(): void;
}

export interface Notifier {
  readonly worker: Worker;
  /** Notifies the other nodes of work. */
  notify(): void;
}

/** Wakes the other nodes and is woken by them. */
export function createNotifier({ listenUrl, observer, onNotice }: NotifierOptions): Notifier {
  const channel = createNotificationChannel({
    url: listenUrl,
    channel: "swarmbase_webhooks",
    applicationName: "swarmbase-webhooks",
    onListening: onNotice,
    onNotification: onNotice,
    onLost: (error) => observer.note("webhook.relay_lost", { error }),
  });
  return { worker: { name: "webhook-relay", run: channel.run }, notify: () => channel.notify() };
}
