import { createNotificationChannel } from "../../db/index.ts";
import type { Observer } from "../../observe/index.ts";

const CHANNEL = "pgrst";

export interface DdlListener {
  readonly url: string;
  readonly observer: Observer;
  /** Notifications may have been missed before. */
  onListening(): void;
  /** A schema change was announced. */
  onNotice(): void;
}

/** Listens on a dedicated connection until the signal is aborted. */
export function listenForDdl(
  { url, observer, onListening, onNotice }: DdlListener,
  signal: AbortSignal,
): Promise<void> {
  const channel = createNotificationChannel({
    url,
    channel: CHANNEL,
    applicationName: "swarmbase-catalogue",
    onListening,
    onNotification: (payload) => {
      if (payload === "" || payload === "reload schema") onNotice();
    },
    onLost: (error) => observer.note("catalogue.listener_lost", { error }),
  });
  return channel.run(signal);
}
