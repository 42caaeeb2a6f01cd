import type { AddressInfo } from "node:net";
import { createServer } from "node:tls";

/** A separate process that answers every request at once: less work than any real receiver does. */

const ANSWER = Buffer.from("HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok");
const HEAD_END = Buffer.from("\r\n\r\n");

function countRequest(buffered: Buffer): number | null {
  const end = buffered.indexOf(HEAD_END);
  if (end === -1) return null;
  const length = /content-length: (\d+)/i.exec(buffered.toString("latin1", 0, end))?.[1] ?? "0";
  const total = end + HEAD_END.length + Number(length);
  return buffered.length < total ? null : total;
}

process.once("message", ({ cert, key }: { cert: string; key: string }) => {
  const server = createServer({ cert, key }, (socket) => {
    let buffered: Buffer = Buffer.alloc(0);
    socket.on("error", () => {});
    socket.on("data", (chunk: Buffer) => {
      buffered = buffered.length === 0 ? chunk : Buffer.concat([buffered, chunk]);
      for (let size = countRequest(buffered); size !== null; size = countRequest(buffered)) {
        buffered = buffered.subarray(size);
        socket.write(ANSWER);
      }
    });
  });
  server.listen(0, "127.0.0.1", () => process.send?.((server.address() as AddressInfo).port));
});
process.once("disconnect", () => process.exit());
