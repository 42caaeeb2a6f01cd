import assert from "node:assert/strict";
import { once } from "node:events";
import net, { type AddressInfo } from "node:net";
import { after, before, describe, it } from "node:test";
import { setImmediate as nextTurn } from "node:timers/promises";
import { type LoadConnection, openLoadConnection } from "../load/load-connection.ts";

/** Answers each request with the pieces that its path names, each in a write of its own. */
const ANSWERS: Readonly<Record<string, readonly string[]>> = {
  "/length": ["HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n[1,2]"],
  "/split-head": ["HTTP/1.1 2", "01 Created\r\ncontent-le", "ngth: 5\r\n\r", "\n[1,", "2]"],
  "/chunks": ["HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n5\r\n[1,2]\r\n", "0\r", "\n\r", "\n"],
  "/empty": ["HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\n\r\n"],
};

async function answer(socket: net.Socket, path: string): Promise<void> {
  if (path === "/close") socket.destroy();
  for (const piece of ANSWERS[path] ?? []) {
    socket.write(piece);
    await nextTurn();
  }
}

describe("openLoadConnection", () => {
  const server = net.createServer((socket) => {
    socket.setNoDelay(true);
    socket.on("data", (bytes) => void answer(socket, /^GET (\S+)/.exec(bytes.toString())?.[1] ?? ""));
  });
  let connection: LoadConnection;
  before(async () => {
    await once(server.listen(0, "127.0.0.1"), "listening");
    const { port } = server.address() as AddressInfo;
    connection = await openLoadConnection({ host: "127.0.0.1", port, ca: undefined, isPlain: true });
  });
  after(() => {
    connection.close();
    server.close();
  });

  const ask = (path: string): Promise<number> => {
    const { promise, resolve, reject } = Promise.withResolvers<number>();
    connection.listener = { onAnswer: (_connection, status) => resolve(status), onError: reject };
    connection.send(Buffer.from(`GET ${path} HTTP/1.1\r\nhost: localhost\r\n\r\n`));
    return promise;
  };

  it("finds the end of responses with a length, in chunks and in pieces, on one connection", async () => {
    for (let round = 0; round < 3; round += 1) {
      const statuses: number[] = [];
      for (const path of Object.keys(ANSWERS)) statuses.push(await ask(path));
      assert.deepEqual(statuses, [200, 201, 200, 404]);
    }
  });

  it("reports a connection that the server closes", async () => {
    await assert.rejects(ask("/close"), /closed|ECONNRESET/);
    assert.equal(connection.isOpen(), false);
  });
});
