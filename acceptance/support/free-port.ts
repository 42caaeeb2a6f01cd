import { randomInt } from "node:crypto";
import net from "node:net";

/**
 * Below the ephemeral range, so that the system does not assign the port before it is used. Above 10080, the last port that `fetch`
 * refuses.
 */
const FIRST_PORT = 10_081;
const LAST_PORT = 32_000;

/** A port of this machine that is not in use. */
export async function findFreePort(): Promise<number> {
  for (;;) {
    const port = randomInt(FIRST_PORT, LAST_PORT + 1);
    if (await isFree(port)) return port;
  }
}

function isFree(port: number): Promise<boolean> {
  const server = net.createServer();
  return new Promise((resolve) => {
    server.once("error", () => resolve(false));
    server.listen(port, "127.0.0.1", () => server.close(() => resolve(true)));
  });
}
