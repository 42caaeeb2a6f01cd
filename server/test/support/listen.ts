import { once } from "node:events";
import type { Server } from "node:https";
import type { AddressInfo } from "node:net";
import type { Cleanup } from "./database.ts";
import { WAIT_MS } from "./wait-limit.ts";

/** Listens on loopback until the end of the test, and returns the port. */
export async function listen(t: Cleanup, server: Server, port = 0): Promise<number> {
  // On a slow machine, a client could send a request on a connection that the server is closing.
  server.keepAliveTimeout = WAIT_MS;
  server.listen(port, "127.0.0.1");
  await once(server, "listening");
  t.after(() => stop(server));
  return (server.address() as AddressInfo).port;
}

async function stop(server: Server): Promise<void> {
  if (!server.listening) return;
  server.closeAllConnections();
  server.close();
  await once(server, "close");
}
