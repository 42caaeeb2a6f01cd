import { once } from "node:events";
import { readFile } from "node:fs/promises";
import type { IncomingHttpHeaders } from "node:http";
import { createServer } from "node:https";
import { join } from "node:path";
import type { TestContext } from "node:test";
import type { Instance } from "./instance.ts";

export interface Receiver {
  readonly url: string;
  /** Sets the response for further requests. */
  answer(status: number, body?: string): void;
  readonly received: readonly { readonly headers: IncomingHttpHeaders; readonly body: string }[];
}

/** A webhook endpoint with the certificate of the instance. */
export async function startReceiver(t: TestContext, { dataDir }: Instance): Promise<Receiver> {
  const pem = await readFile(join(dataDir, "tls/localhost.pem"));
  const received: { headers: IncomingHttpHeaders; body: string }[] = [];
  let next = { status: 200, body: "thank you" };
  const server = createServer({ key: pem, cert: pem }, (request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      received.push({ headers: request.headers, body: Buffer.concat(chunks).toString() });
      response.writeHead(next.status).end(next.body);
    });
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("no port");
  return {
    url: `https://localhost:${address.port}/hook`,
    received,
    answer: (status, body = "") => {
      next = { status, body };
    },
  };
}
