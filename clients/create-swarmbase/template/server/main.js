// The app's own server: it receives webhooks, and it does what the tool `place_order` asks for.
import { readFileSync } from "node:fs";
import { createServer } from "node:https";
import { verifyWebhook, WebhookVerificationError } from "@swarmbase/sdk";

const { SERVER_URL, SWARMBASE_URL, SWARMBASE_SERVICE_ROLE_KEY: key, DATA_DIR = ".swarmbase" } = process.env;
const MAX_BODY_BYTES = 1024 * 1024;
const routes = { "POST /hook": receiveWebhook, "POST /orders": placeOrder };

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
    const answer = route ? await route(await readBody(request), request.headers) : { status: 404 };
    response.writeHead(answer.status, { "content-type": "application/json" });
    response.end(answer.body === undefined ? "" : JSON.stringify(answer.body));
  } catch (error) {
    console.error("server:", error.message);
    response.writeHead(500).end();
  }
}

/** Prints what happened. Everybody who signs up has a webhook with a secret of its own. */
async function receiveWebhook(body, headers) {
  try {
    const event = await verifyWebhook(body, headers, await readSecrets());
    console.log(`webhook: ${event.type} ${describe(event)}`);
    return { status: 204 };
  } catch (error) {
    if (!(error instanceof WebhookVerificationError)) throw error;
    console.log(`webhook: rejected, ${error.reason}`);
    return { status: 400, body: { error: error.reason } };
  }
}

function describe({ type, data }) {
  if (type === "message.created") return `${data.sender_name}: ${data.content.split("\n")[0].slice(0, 60)}`;
  return data.tool_name ?? data.agent_name ?? "";
}

/** Place a real order here. An agent calls this only after somebody has approved the call. */
function placeOrder(body) {
  const { item, quantity = 1 } = JSON.parse(body.toString());
  console.log(`server: ordered ${quantity} × ${item}`);
  return { status: 200, body: { ordered: item, quantity, arrives_in_minutes: 25 } };
}

async function readSecrets() {
  const query = new URLSearchParams({ select: "secret", url: `eq.${SERVER_URL}/hook` });
  const response = await fetch(`${SWARMBASE_URL}/rest/v1/webhooks?${query}`, {
    headers: { apikey: key, authorization: `Bearer ${key}` },
  });
  if (!response.ok) throw new Error(`the secrets of the webhooks cannot be read: ${response.status}`);
  return (await response.json()).map(({ secret }) => secret);
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
