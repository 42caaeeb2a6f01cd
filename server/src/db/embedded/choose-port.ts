import { createServer } from "node:net";

/** Returns the first candidate that is free on loopback, else any free port. */
export async function choosePort(candidates: readonly number[]): Promise<number> {
  for (const candidate of candidates) {
    if (candidate !== 0 && (await tryListening(candidate)) !== null) return candidate;
  }
  const free = await tryListening(0);
  if (free === null) throw new Error("no free port on 127.0.0.1");
  return free;
}

export async function isPortFree(port: number): Promise<boolean> {
  return (await tryListening(port)) !== null;
}

function tryListening(port: number): Promise<number | null> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once("error", () => resolve(null));
    server.listen({ port, host: "127.0.0.1", exclusive: true }, () => {
      const address = server.address();
      const found = typeof address === "object" && address !== null ? address.port : null;
      server.close(() => resolve(found));
    });
  });
}
