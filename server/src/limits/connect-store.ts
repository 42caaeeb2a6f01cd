import type { Observer } from "../observe/index.ts";
import type { SharedStore } from "./shared-store.ts";

const CONNECT_TIMEOUT_MS = 2_000;
const RECONNECT_MAX_MS = 2_000;

interface ConnectedStore {
  readonly store: SharedStore;
  close(): void;
}

/** Connects and reconnects in the background: a node starts and serves requests without the store. */
export async function connectStore(url: string, observer: Observer): Promise<ConnectedStore> {
  // Imported on demand: it loads hundreds of modules.
  const { createClient } = await import("@redis/client");
  const client = createClient({
    url,
    // While the store is unavailable, this node counts alone; a late reply is of no use.
    disableOfflineQueue: true,
    socket: {
      connectTimeout: CONNECT_TIMEOUT_MS,
      reconnectStrategy: (retries) => Math.min(100 * (retries + 1), RECONNECT_MAX_MS),
    },
  });
  // Without a listener, a connection error would end the process. The error is logged when the store is used.
  client.on("error", () => {});
  client.connect().catch((error: unknown) => observer.note("limits.store_away", { error }));
  return { store: client, close: () => client.destroy() };
}
