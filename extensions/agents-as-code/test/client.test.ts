import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { type TestContext, test } from "node:test";
import { Client, ServiceError } from "../src/service/client.ts";

async function openClient(t: TestContext, answer: (request: IncomingMessage, response: ServerResponse) => void) {
  const server = createServer(answer).listen(0, "127.0.0.1");
  await once(server, "listening");
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  const waits: number[] = [];
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const client = new Client({
    fetch,
    url,
    apiKey: "key",
    token: "token",
    signal: new AbortController().signal,
    onWait: (seconds) => waits.push(seconds),
    sleep: async () => {},
  });
  return { client, waits };
}

test("waits as long as the rate limit says, and repeats the request", async (t) => {
  let calls = 0;
  const { client, waits } = await openClient(t, (_request, response) => {
    calls += 1;
    if (calls <= 2) response.writeHead(429, calls === 1 ? { "retry-after": "7" } : {}).end("{}");
    else response.writeHead(201).end('[{"id":"1"}]');
  });
  assert.deepEqual(await client.send("POST", "/rest/v1/agents", {}), { status: 201, body: [{ id: "1" }] });
  assert.deepEqual(waits, [7, 60]);
});

test("gives up after five waits", async (t) => {
  const { client, waits } = await openClient(t, (_request, response) => {
    response.writeHead(429, { "retry-after": "1" }).end('{"code":"RATE_LIMITED","message":"Too many requests"}');
  });
  await assert.rejects(client.call("GET", "/"), { status: 429, message: "Too many requests" });
  assert.equal(waits.length, 5);
});

test("reads all pages of a table", async (t) => {
  const rows = Array.from({ length: 1_201 }, (_, id) => ({ id }));
  const { client } = await openClient(t, ({ url }, response) => {
    const query = new URL(url ?? "", "http://localhost").searchParams;
    const from = Number(query.get("offset"));
    response.end(JSON.stringify(rows.slice(from, from + Number(query.get("limit")))));
  });
  assert.deepEqual(await client.listRows("agents", { select: "id" }), rows);
});

test("an answer that is not from a Swarmbase service is an error", async (t) => {
  const { client } = await openClient(t, (_request, response) => response.end("<html>"));
  await assert.rejects(client.listRows("agents", {}), /does not answer as a Swarmbase service does/);
  assert.equal(new ServiceError({ status: 502, body: null }).message, "The service answered 502.");
});
