import { once } from "node:events";
import { readFile } from "node:fs/promises";
import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { verifyWebhook, WebhookVerificationError } from "@swarmbase/sdk";

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
  /** The number of authorised tool calls. */
  readonly questions: () => number;
  expect(secret: string): void;
  close(): Promise<void>;
}

const ORDERS: Readonly<Record<string, string>> = { "A-17": "left the warehouse this morning" };
const HOST = "127.0.0.1";

/** The first valid delivery gets a 503, so that the demo shows a retry. */
export async function openOffice(dataDir: string, toolToken: string): Promise<Office> {
  // Key and certificate for localhost, which the service created and its webhooks trust.
  const pem = await readFile(join(dataDir, "tls", "localhost.pem"));
  const arrivals: Arrival[] = [];
  let secret = "";
  let questions = 0;
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
  const serveOrder = (request: IncomingMessage, response: ServerResponse): void => {
    const number = decodeURIComponent(request.url?.split("/").at(-1) ?? "");
    const state = request.method === "POST" ? "refunded" : (ORDERS[number] ?? "unknown");
    const isAuthorised = request.headers.authorization === `Bearer ${toolToken}`;
    if (isAuthorised) questions += 1;
    response.writeHead(isAuthorised ? 200 : 401, { "content-type": "application/json" });
    response.end(JSON.stringify(isAuthorised ? { number, state } : {}));
  };
  const server = createServer({ key: pem, cert: pem }, (request, response) => {
    if (request.url?.startsWith("/orders/") === true) serveOrder(request, response);
    else receive(request, response).catch(() => response.destroy());
  });
  server.listen(0, HOST);
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    hookUrl: `https://localhost:${port}/hook`,
    ordersUrl: `https://localhost:${port}/orders/{number}`,
    arrivals,
    questions: () => questions,
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
