import { once } from "node:events";
import { createServer, type Server, type Socket } from "node:net";
import type { Cleanup } from "../../support/database.ts";

export interface RespServer {
  readonly url: string;
  /** Closes the port and all connections, as the end of the process does. */
  kill(): Promise<void>;
  /** Listens again on the same port, without data. */
  startAgain(): Promise<void>;
}

const WINDOW_MS = 60_000;

/** Speaks as much of the protocol of Redis as counting needs, for machines without Redis and Valkey. */
export async function startRespServer(t: Cleanup): Promise<RespServer> {
  const sockets = new Set<Socket>();
  let counts = new Map<string, number>();
  let server: Server;
  let port = 0;
  const serve = (socket: Socket): void => {
    sockets.add(socket);
    socket.on("close", () => sockets.delete(socket));
    socket.on("error", () => {});
    let text = "";
    socket.on("data", (chunk: Buffer) => {
      text += chunk.toString("latin1");
      for (let parsed = parseCommand(text); parsed !== null; parsed = parseCommand(text)) {
        text = parsed.rest;
        socket.write(answer(parsed.words, counts));
      }
    });
  };
  const listen = async (): Promise<void> => {
    server = createServer(serve).listen(port, "127.0.0.1");
    await once(server, "listening");
    const address = server.address();
    port = typeof address === "object" && address !== null ? address.port : port;
  };
  const kill = async (): Promise<void> => {
    const closed = once(server, "close");
    server.close();
    for (const socket of sockets) socket.destroy();
    await closed;
  };
  await listen();
  t.after(async () => {
    if (server.listening) await kill();
  });
  return {
    url: `redis://127.0.0.1:${port}`,
    kill,
    startAgain: async () => {
      counts = new Map();
      await listen();
    },
  };
}

/** Null until a command is whole: `*<words>`, then `$<length>` and the word for each. */
function parseCommand(text: string): { readonly words: string[]; readonly rest: string } | null {
  const head = /^\*(\d+)\r\n/.exec(text);
  if (head === null) return null;
  const words: string[] = [];
  let at = head[0].length;
  while (words.length < Number(head[1])) {
    const length = /^\$(\d+)\r\n/.exec(text.slice(at));
    if (length === null) return null;
    const from = at + length[0].length;
    const to = from + Number(length[1]);
    if (text.length < to + 2) return null;
    words.push(text.slice(from, to));
    at = to + 2;
  }
  return { words, rest: text.slice(at) };
}

/** The script adds the points of its first argument to its key, and returns the sum and the time left. */
function answer([name = "", , , key = "", points = "0"]: readonly string[], counts: Map<string, number>): string {
  if (name.toLowerCase() !== "eval") return "+OK\r\n";
  const sum = (counts.get(key) ?? 0) + Number(points);
  counts.set(key, sum);
  return `*2\r\n:${sum}\r\n:${WINDOW_MS}\r\n`;
}
