import { once } from "node:events";
import type { Server } from "node:net";

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

const UNRESOLVED = "the name does not resolve. Check HOST";

const LISTEN_FAULTS: Readonly<Record<string, string>> = {
  EADDRINUSE: "the port is in use. Set PORT to another one, or stop what uses it",
  EACCES: "no permission. Ports below 1024 usually need privileges; set PORT to a higher one",
  EADDRNOTAVAIL: "this machine does not have that address. Check HOST",
  ENOTFOUND: UNRESOLVED,
  EAI_AGAIN: UNRESOLVED,
};
