import { randomInt } from "node:crypto";
import { createServer } from "node:net";
import { createAddressPolicy } from "@swarmbase/guarded-fetch";

/**
 * Below what systems give out by themselves: nobody who asks for any port gets this one between the look and its use. Above 10080, the
 * last port that `fetch` refuses.
 */
const FIRST_PORT = 10_081;
const LAST_PORT = 32_000;
const policy = createAddressPolicy({ allowedCidrs: [] });

/** On loopback, for a program that takes its port as a setting. */
export async function findFreePort(): Promise<number> {
  for (;;) {
    const port = randomInt(FIRST_PORT, LAST_PORT + 1);
    // Webhooks and tools cannot reach the ports of internal services.
    if (policy.allowsPort(port) && (await isFree(port))) return port;
  }
}

function isFree(port: number): Promise<boolean> {
  const server = createServer();
  return new Promise((resolve) => {
    server.once("error", () => resolve(false));
    server.listen(port, "127.0.0.1", () => server.close(() => resolve(true)));
  });
}
