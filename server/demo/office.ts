import { once } from "node:events";
import { readFile } from "node:fs/promises";
import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { verifyToolCall, verifyWebhook, WebhookVerificationError } from "@swarmbase/sdk";

interface Arrival {
  readonly deliveryId: string;
  readonly type: string;
  /** The status of the response. */
  readonly status: number;
  readonly body: string;
}

/** The systems of a user of the service: a webhook receiver, and an endpoint for tools. */
export interface Office {
  readonly hookUrl: string;
  readonly ordersUrl: string;
  readonly arrivals: readonly Arrival[];
  /** The customers for whom authorised tool calls refunded orders. */
  readonly refunds: readonly string[];
  expect(secret: string): void;
  close(): Promise<void>;
}

const HOST = "127.0.0.1";

/** The first valid delivery gets a 503, so that the demo shows a retry. */
export async function openOffice(dataDir: string, serviceUrl: string, toolToken: string): Promise<Office> {
  // Key and certificate for localhost, which the service created and its webhooks trust.
  const pem = await readFile(join(dataDir, "tls", "localhost.pem"));
  const arrivals: Arrival[] = [];
  let secret = "";
  const refunds: string[] = [];
  let hasFailed = false;

  const receive = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const body = Buffer.concat(await request.toArray());
    const { "x-service-delivery": deliveryId = "", "x-service-event": type = "" } = request.headers;
    const arrival = { deliveryId: String(deliveryId), type: String(type), body: body.toString() };
    try {
      await verifyWebhook(body, request.headers, secret);
      const status = hasFailed ? 204 : 503;
      hasFailed = true;
      arrivals.push({ ...arrival, status });
      response.writeHead(status).end();
    } catch (error) {
      if (!(error instanceof WebhookVerificationError)) throw error;
      arrivals.push({ ...arrival, status: 400 });
      response.writeHead(400).end(error.reason);
    }
  };
  /** The token of the tool says that the service calls, the token of the call which customer has asked. */
  const refund = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { method = "", headers, url = "" } = request;
    const body = Buffer.concat(await request.toArray());
    const { sub } = await verifyToolCall({ method, url, headers, body }, { issuer: serviceUrl, audience: ownUrl() });
    const isAuthorised = headers.authorization === `Bearer ${toolToken}`;
    if (isAuthorised) refunds.push(sub);
    response.writeHead(isAuthorised ? 200 : 401, { "content-type": "application/json" });
    response.end(JSON.stringify({ number: decodeURIComponent(url.split("/").at(-1) ?? ""), state: "refunded" }));
  };
  const server = createServer({ key: pem, cert: pem }, (request, response) => {
    const answer = request.url?.startsWith("/orders/") === true ? refund : receive;
    answer(request, response).catch(() => response.destroy());
  });
  const ownUrl = (): string => `https://localhost:${(server.address() as AddressInfo).port}`;
  server.listen(0, HOST);
  await once(server, "listening");
  return {
    hookUrl: `${ownUrl()}/hook`,
    ordersUrl: `${ownUrl()}/orders/{number}`,
    arrivals,
    refunds,
    expect: (given) => {
      secret = given;
    },
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}
