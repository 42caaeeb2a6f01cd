import { once } from "node:events";
import { createServer, type Server } from "node:net";

/** Explains why an address cannot be used. */
export async function listenOn(server: Server, { host, port }: { host: string; port: number }): Promise<void> {
  server.listen({ host, port });
  try {
    await once(server, "listening");
  } catch (cause) {
    const address = `${host.includes(":") ? `[${host}]` : host}:${port}`;
    const { code = "", message } = cause as NodeJS.ErrnoException;
    throw new Error(`Cannot listen on ${address}: ${LISTEN_FAULTS[code] ?? message}`, { cause });
  }
}

/** Preparing a database takes long, so a port that cannot be used is reported before that. */
export async function assertCanListen(address: { readonly host: string; readonly port: number }): Promise<void> {
  const server = createServer();
  await listenOn(server, address);
  await new Promise((resolve) => server.close(resolve));
}

const UNRESOLVED = "the name does not resolve. Check HOST";

const LISTEN_FAULTS: Readonly<Record<string, string>> = {
  EADDRINUSE: "the port is in use. Set PORT to another one, or stop what uses it",
  EACCES: "no permission. Ports below 1024 usually need privileges; set PORT to a higher one",
  EADDRNOTAVAIL: "this machine does not have that address. Check HOST",
  ENOTFOUND: UNRESOLVED,
  EAI_AGAIN: UNRESOLVED,
};
