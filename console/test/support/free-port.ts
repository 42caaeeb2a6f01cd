import { randomInt } from "node:crypto";
import net from "node:net";

/** Below the ephemeral ports, so that the system does not assign the port before it is used. */
const FIRST_PORT = 10_000;
const LAST_PORT = 32_000;

/** Returns an unused port. */
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
