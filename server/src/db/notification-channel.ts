import pg from "pg";
import { keepConnected } from "./keep-connected.ts";

/** NOTIFY takes a lock of the whole database at commit, so all payloads within this time go in one statement. */
const INTERVAL_MS = 20;
/** Prepared, because planning takes half of its time, and a busy node sends it fifty times a second. */
const NOTIFY = {
  name: "notify",
  text: "select pg_catalog.pg_notify($1, payload) from pg_catalog.unnest($2::text[]) as payload",
};

interface NotificationChannelOptions {
  /** Not through a transaction pooler: LISTEN belongs to a session. */
  readonly url: string;
  readonly channel: string;
  readonly applicationName: string;
  /** Called for each new connection, before it listens. */
  onConnected?(client: pg.ClientBase): Promise<void>;
  /** Called whenever listening begins: earlier notifications may have been missed. */
  onListening(): void;
  /** Called for notifications of other connections. */
  onNotification(payload: string): void;
  onLost(error: Error | null): void;
}

export interface NotificationChannel {
  /** Listens until the signal aborts. */
  run(signal: AbortSignal): Promise<void>;
  /** Sends soon, equal payloads once. Drops the payload while there is no connection: every receiver also polls. */
  notify(payload?: string): void;
}

/** LISTEN and NOTIFY on one channel, over a connection that no transaction waits for. */
export function createNotificationChannel(options: NotificationChannelOptions): NotificationChannel {
  const { url, channel, applicationName, onConnected, onListening, onNotification, onLost } = options;
  let client: pg.Client | null = null;
  let timer: NodeJS.Timeout | null = null;
  let payloads = new Set<string>();

  const send = async (): Promise<void> => {
    const sent = [...payloads];
    payloads = new Set();
    await client?.query({ ...NOTIFY, values: [channel, sent] }).catch(() => {});
    timer = null;
    if (payloads.size > 0) schedule();
  };
  const schedule = (): void => {
    timer ??= setTimeout(() => void send(), INTERVAL_MS).unref();
  };

  return {
    run: (signal) =>
      keepConnected(
        {
          url,
          applicationName,
          onConnected: async (connected) => {
            await onConnected?.(connected);
            const { rows } = await connected.query<{ pid: number }>("select pg_catalog.pg_backend_pid() as pid");
            connected.on("notification", ({ processId, payload = "" }) => {
              if (processId !== rows[0]?.pid) onNotification(payload);
            });
            await connected.query(`listen ${pg.escapeIdentifier(channel)}`);
            client = connected;
            onListening();
          },
          onDisconnected: () => {
            client = null;
          },
          onLost,
        },
        signal,
      ),
    notify: (payload = "") => {
      if (client === null) return;
      payloads.add(payload);
      schedule();
    },
  };
}
