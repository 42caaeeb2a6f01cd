import { once } from "node:events";
import net, { type AddressInfo } from "node:net";
import type { Cleanup } from "./database.ts";

export interface CuttingProxy {
  readonly port: number;
  /** How many connections were opened. */
  readonly opened: number;
  /** Breaks all open connections. */
  cut(): void;
  /** Breaks each later connection after that many bytes of the server; null: none. */
  limitBytes(bytesOf: ((connection: number) => number) | null): void;
  /** Drops the bytes of the server without a sign to the client. */
  silence(isSilent: boolean): void;
}

/** Stands between a client and a server on this machine, and breaks their connections. */
export async function startCuttingProxy(t: Cleanup, target: number): Promise<CuttingProxy> {
  const sockets = new Set<net.Socket>();
  let opened = 0;
  let bytesOf: ((connection: number) => number) | null = null;
  let isSilent = false;

  const server = net.createServer((near) => {
    opened += 1;
    const far = net.connect(target, "127.0.0.1");
    let left = bytesOf?.(opened) ?? Number.POSITIVE_INFINITY;
    for (const [socket, other] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(socket);
      socket.on("error", () => socket.destroy());
      socket.once("close", () => {
        sockets.delete(socket);
        other.destroy();
      });
    }
    near.on("data", (bytes) => void far.write(bytes));
    far.on("data", (bytes) => {
      if (isSilent) return;
      const passed = bytes.subarray(0, left);
      left -= passed.length;
      near.write(passed, () => {
        if (left <= 0) near.destroy();
      });
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const cut = (): void => {
    for (const socket of sockets) socket.destroy();
  };
  t.after(async () => {
    const closed = once(server.close(), "close");
    cut();
    await closed;
  });
  return {
    port: (server.address() as AddressInfo).port,
    get opened() {
      return opened;
    },
    cut,
    limitBytes(limit) {
      bytesOf = limit;
    },
    silence(value) {
      isSilent = value;
    },
  };
}
