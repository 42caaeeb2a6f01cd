import { createServer } from "node:net";

const LOOPBACK = "127.0.0.1";

/** Returns the first candidate that is free on loopback, else any free port. */
export async function choosePort(candidates: readonly number[]): Promise<number> {
  for (const candidate of candidates) if (candidate !== 0 && (await isPortFree(candidate))) return candidate;
  const free = await tryPort(0);
  if (typeof free === "string") throw new Error(`no free port on ${LOOPBACK} (${free})`);
  return free;
}

async function isPortFree(port: number): Promise<boolean> {
  return typeof (await tryPort(port)) === "number";
}

/** Listens for a moment. Resolves with the port, or with the code of the error. */
export function tryPort(port: number, host = LOOPBACK): Promise<number | string> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once("error", (error: NodeJS.ErrnoException) => resolve(error.code ?? "unknown"));
    server.listen({ port, host, exclusive: true }, () => {
      const address = server.address();
      server.close(() => resolve(typeof address === "object" && address !== null ? address.port : port));
    });
  });
}

/**
 * Whether PostgreSQL did not start because its port was taken. The port may be free again, for example when it was the local port of a
 * connection that has ended, so only its message tells.
 */
export function isPortTaken(fault: unknown): boolean {
  return fault instanceof Error && /address already in use|only one usage of each socket address/i.test(fault.message);
}
