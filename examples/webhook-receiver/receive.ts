import { readFileSync } from "node:fs";
import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer } from "node:https";
import { text } from "node:stream/consumers";
import { verifyWebhook, WebhookVerificationError } from "@swarmbase/sdk";

const secret = process.env["WEBHOOK_SECRET"] ?? "";
const seen = new Set<string>();

async function receive(request: IncomingMessage, response: ServerResponse): Promise<void> {
  try {
    // The text as it came: the signature is over exactly these bytes.
    const event = await verifyWebhook(await text(request), request.headers, secret);
    response.writeHead(204).end();
    // The service sends an event again when it does not know whether it arrived.
    if (!seen.has(event.id)) console.log(JSON.stringify(event));
    seen.add(event.id);
  } catch (error) {
    if (!(error instanceof WebhookVerificationError)) throw error;
    response.writeHead(400).end(error.reason);
  }
}

// The certificate for localhost that the service has created.
const pem = readFileSync(".swarmbase/tls/localhost.pem");
const server = createServer({ key: pem, cert: pem }, (request, response) => {
  receive(request, response).catch((error: unknown) => {
    console.error(error);
    response.destroy();
  });
});
const port = Number(process.env["PORT"] ?? 3000);
server.listen(port, "localhost", () => console.error(`Receiving at https://localhost:${port}`));
