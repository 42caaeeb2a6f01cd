// The app's own server: it receives webhooks, and it does what the tool `refund_order` asks for.
import { readFileSync } from "node:fs";
import { createServer } from "node:https";
import { ToolCallVerificationError, verifyToolCall, verifyWebhook, WebhookVerificationError } from "@swarmbase/sdk";

const { SERVER_URL, SWARMBASE_URL, SWARMBASE_SERVICE_ROLE_KEY: key, DATA_DIR = ".swarmbase" } = process.env;
const MAX_BODY_BYTES = 1024 * 1024;
const routes = { "POST /hook": receiveWebhook, "POST /refunds": refundOrder };

// The certificate for `localhost` that the service has created.
const pem = readFileSync(`${DATA_DIR}/tls/localhost.pem`);
const server = createServer({ key: pem, cert: pem }, (request, response) => void handle(request, response));
server.on("error", (error) => {
  console.error("server:", error.message);
  process.exitCode = 1;
});
server.listen(new URL(SERVER_URL).port, "127.0.0.1", () =>
  console.log(`\n  Webhooks are received at ${SERVER_URL}/hook\n`),
);

async function handle(request, response) {
  try {
    const route = routes[`${request.method} ${request.url}`];
    const answer = route ? await route(await readBody(request), request) : { status: 404 };
    response.writeHead(answer.status, { "content-type": "application/json" });
    response.end(answer.body === undefined ? "" : JSON.stringify(answer.body));
  } catch (error) {
    console.error("server:", error.message);
    response.writeHead(500).end();
  }
}

/** Prints what happened. Events of private conversations say which tool was called, never what was said. */
async function receiveWebhook(body, { headers }) {
  try {
    const event = await verifyWebhook(body, headers, await readSecrets());
    console.log(`webhook: ${event.type} ${event.data.tool_name ?? event.data.error.code}`);
    return { status: 204 };
  } catch (error) {
    if (!(error instanceof WebhookVerificationError)) throw error;
    console.log(`webhook: rejected, ${error.reason}`);
    return { status: 400, body: { error: error.reason } };
  }
}

/** Refund the order here. The agent calls this only after the customer has confirmed it. */
async function refundOrder(body, { method, url, headers }) {
  const options = { issuer: SWARMBASE_URL, audience: SERVER_URL };
  const call = await verifyToolCall({ method, url, headers, body }, options).catch((error) => {
    if (!(error instanceof ToolCallVerificationError)) throw error;
    console.log(`server: rejected, ${error.reason}`);
  });
  if (call === undefined) return { status: 401 };
  const { number } = JSON.parse(body.toString());
  const query = { user_id: `eq.${call.sub}`, number: `eq.${number}`, refunded_at: "is.null" };
  const [order] = await callRest("orders", query, { refunded_at: new Date() });
  if (order === undefined) return { status: 404, body: { error: "the customer has no such order to refund" } };
  console.log(`server: refunded ${number}`);
  return { status: 200, body: { refunded: number } };
}

async function readSecrets() {
  const rows = await callRest("webhooks", { select: "secret", url: `eq.${SERVER_URL}/hook` });
  return rows.map(({ secret }) => secret);
}

/** Reads rows, or changes them. */
async function callRest(table, query, change) {
  const response = await fetch(`${SWARMBASE_URL}/rest/v1/${table}?${new URLSearchParams(query)}`, {
    method: change === undefined ? "GET" : "PATCH",
    headers: {
      apikey: key,
      authorization: `Bearer ${key}`,
      "content-type": "application/json",
      prefer: "return=representation",
    },
    body: JSON.stringify(change),
  });
  if (!response.ok) throw new Error(`${table}: ${response.status}`);
  return response.json();
}

async function readBody(request) {
  const chunks = [];
  let size = 0;
  for await (const chunk of request) {
    size += chunk.length;
    if (size > MAX_BODY_BYTES) throw new Error("the body is too large");
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
