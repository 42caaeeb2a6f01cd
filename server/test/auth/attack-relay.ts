import { once } from "node:events";
import net from "node:net";
import { join } from "node:path";
import pg from "pg";
import type { Cleanup } from "../support/database.ts";
import { findFreePort } from "../support/free-port.ts";

export interface Relay {
  /** The same database, through the relay. */
  readonly url: string;
  /** Breaks what is open and refuses what comes. */
  cut(): Promise<void>;
  restore(): Promise<void>;
}

/** Stands between the service and its database, and can be taken away. */
export async function startRelay(t: Cleanup, databaseUrl: string): Promise<Relay> {
  const { host, port } = new pg.Client({ connectionString: databaseUrl });
  const sockets = new Set<net.Socket>();
  const remember = (socket: net.Socket): net.Socket => {
    sockets.add(socket);
    socket.on("error", () => socket.destroy());
    return socket.once("close", () => sockets.delete(socket));
  };
  const server = net.createServer((near) => {
    const far = host.startsWith("/") ? net.connect(join(host, `.s.PGSQL.${port}`)) : net.connect(port, host);
    for (const [one, other] of [
      [near, far],
      [far, near],
    ] as const) {
      remember(one)
        .pipe(other)
        .once("close", () => one.destroy());
    }
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
  return { url: url.href, cut, restore: listen };
}
