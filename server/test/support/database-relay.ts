import { once } from "node:events";
import net from "node:net";
import { join } from "node:path";
import pg from "pg";
import type { Cleanup } from "./database.ts";
import { findFreePort } from "./free-port.ts";

export interface DatabaseRelay {
  /** The same database, through the relay. */
  readonly url: string;
  /** Breaks open connections and rejects new ones. */
  cut(): Promise<void>;
  restore(): Promise<void>;
  /**
   * Lets the next request that contains the text through and drops the server's answer to it together with the connection: the
   * statement is committed and its sender cannot know. Resolves when that has happened.
   */
  loseAnswerTo(text: string): Promise<void>;
}

/** Stands between the service and its database, and can be taken away. */
export async function startDatabaseRelay(t: Cleanup, databaseUrl: string): Promise<DatabaseRelay> {
  const { host, port } = new pg.Client({ connectionString: databaseUrl });
  const sockets = new Set<net.Socket>();
  let doomed: { readonly text: string; onLost(): void } | null = null;

  const open = (socket: net.Socket): void => {
    sockets.add(socket);
    socket.on("error", () => socket.destroy());
    socket.once("close", () => sockets.delete(socket));
  };
  const server = net.createServer((near) => {
    const far = host.startsWith("/") ? net.connect(join(host, `.s.PGSQL.${port}`)) : net.connect(port, host);
    let onLost: (() => void) | null = null;
    open(near);
    open(far);
    near.once("close", () => far.destroy());
    far.once("close", () => near.destroy());
    near.on("data", (bytes) => {
      if (doomed !== null && bytes.includes(doomed.text)) {
        ({ onLost } = doomed);
        doomed = null;
      }
      far.write(bytes);
    });
    far.on("data", (bytes) => {
      if (onLost === null) return void near.write(bytes);
      near.destroy();
      onLost();
    });
  });
  // Nobody else may get it while it is away.
  const relayPort = await findFreePort();
  const listen = async (): Promise<void> => {
    server.listen(relayPort, "127.0.0.1");
    await once(server, "listening");
  };
  const cut = async (): Promise<void> => {
    const closed = server.listening ? once(server.close(), "close") : null;
    for (const socket of sockets) socket.destroy();
    await closed;
  };
  await listen();
  t.after(cut);

  const url = new URL(databaseUrl);
  url.search = "";
  url.hostname = "127.0.0.1";
  url.port = String(relayPort);
  return {
    url: url.href,
    cut,
    restore: listen,
    loseAnswerTo: (text) =>
      new Promise((resolve) => {
        doomed = { text, onLost: resolve };
      }),
  };
}
