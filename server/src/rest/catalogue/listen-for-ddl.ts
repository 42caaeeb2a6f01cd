import { keepConnected } from "../../db/index.ts";
import type { Observer } from "../../observe/index.ts";

const CHANNEL = "pgrst";

export interface DdlListener {
  readonly url: string;
  readonly observer: Observer;
  /** Notices may have been missed until now. */
  onListening(): void;
  /** Somebody says that the schema has changed. */
  onNotice(): void;
}

/** Listens on a connection of its own until the signal. */
export function listenForDdl(
  { url, observer, onListening, onNotice }: DdlListener,
  signal: AbortSignal,
): Promise<void> {
  return keepConnected(
    {
      url,
      applicationName: "swarmbase-catalogue",
      onConnected: async (client) => {
        client.on("notification", ({ payload = "" }) => {
          if (payload === "" || payload === "reload schema") onNotice();
        });
        await client.query(`listen ${CHANNEL}`);
        onListening();
      },
      onLost: (error) => observer.note("catalogue.listener_lost", { error }),
    },
    signal,
  );
}
