import { createServer } from "node:net";

const LOOPBACK = "127.0.0.1";

/** Returns the first candidate that is free on loopback, else any free port. */
export async function choosePort(candidates: readonly number[]): Promise<number> {
  for (const candidate of candidates) if (candidate !== 0 && (await isPortFree(candidate))) return candidate;
  const free = await tryPort(0);
  if (typeof free === "string") throw new Error(`no free port on ${LOOPBACK} (${free})`);
  return free;
}

export async function isPortFree(port: number): Promise<boolean> {
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
