import type { Observer } from "../observe/index.ts";
import type { SharedStore } from "./shared-store.ts";

const CONNECT_TIMEOUT_MS = 2_000;
const RECONNECT_MAX_MS = 2_000;

export interface ConnectedStore {
  readonly store: SharedStore;
  close(): void;
}

/** Connects in the background, again and again: a node starts and serves without it. */
export async function connectStore(url: string, observer: Observer): Promise<ConnectedStore> {
  // Hundreds of modules, for those who have a store.
  const { createClient } = await import("@redis/client");
  const client = createClient({
    url,
    // What cannot be asked now is counted here; an answer that comes later helps nobody.
    disableOfflineQueue: true,
    socket: {
      connectTimeout: CONNECT_TIMEOUT_MS,
      reconnectStrategy: (retries) => Math.min(100 * (retries + 1), RECONNECT_MAX_MS),
    },
  });
  // Without a listener an error of the connection would end the process; that it is away is noted when it is asked.
  client.on("error", () => {});
  client.connect().catch((error: unknown) => observer.note("limits.store_away", { error }));
  return { store: client, close: () => client.destroy() };
}
