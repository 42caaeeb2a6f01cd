import { once } from "node:events";
import { text } from "node:stream/consumers";
import https from "node:https";
import type { AddressInfo } from "node:net";
import type { Cleanup } from "../../../server/test/support/database.ts";

/**
 * An HTTPS server on this machine that stores the last POST request, and returns it when it is asked with GET. It uses the
 * certificate for the name alone, the last one of the file, which every runtime accepts.
 */
export async function startReceiver(t: Cleanup, pem: string): Promise<string> {
  let last: { readonly headers: object; readonly body: string } | null = null;
  const server = https.createServer(
    { key: pem, cert: pem.slice(pem.lastIndexOf("-----BEGIN CERT")) },
    (request, response) => {
      if (request.method === "GET") {
        response.setHeader("content-type", "application/json").end(JSON.stringify(last));
        return;
      }
      text(request).then(
        (body) => {
          last = { headers: request.headers, body };
          response.end();
        },
        () => response.destroy(),
      );
    },
  );
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  t.after(async () => {
    const closed = once(server.close(), "close");
    server.closeAllConnections();
    await closed;
  });
  return `https://localhost:${(server.address() as AddressInfo).port}/`;
}
