import assert from "node:assert/strict";
import { once } from "node:events";
import { createSecureServer } from "node:http2";
import { createServer } from "node:https";
import { test } from "node:test";
import type { TLSSocket } from "node:tls";
import {
  authority,
  credential,
  openForTest,
  startReceiver,
  startTlsReceiver,
} from "../../../server/test/support/receiver.ts";

test("a POST arrives unchanged and its response is returned", async (t) => {
  const seen: { method: string | undefined; url: string | undefined; headers: object; body: string }[] = [];
  const { port } = await startReceiver(t, ({ method, url, headers, body }, response) => {
    seen.push({ method, url, headers, body: body.toString() });
    response.writeHead(201, { "retry-after": "7" }).end("thanks");
  });
  const { post } = openForTest(t);
  const result = await post(`https://hooks.example.com:${port}/in?a=b%20c#part`, {
    headers: { "content-type": "application/json", "x-service-event": "agent.created" },
    body: '{"ü":1}',
  });
  assert.ok(result.kind === "answered", JSON.stringify(result));
  assert.deepEqual(
    { ...result, durationMs: 0 },
    { kind: "answered", status: 201, retryAfter: "7", body: "thanks", isTruncated: false, durationMs: 0 },
  );
  assert.deepEqual(seen, [
    {
      method: "POST",
      url: "/in?a=b%20c",
      headers: {
        host: `hooks.example.com:${port}`,
        connection: "keep-alive",
        "content-type": "application/json",
        "x-service-event": "agent.created",
        "accept-encoding": "identity",
        "content-length": "8",
      },
      body: '{"ü":1}',
    },
  ]);
});

test("TLS sends the host name as SNI, and no SNI for an IP address", async (t) => {
  const names: unknown[] = [];
  const { port } = await startTlsReceiver(t, (socket) => {
    names.push((socket as TLSSocket & { servername: unknown }).servername);
    socket.end("HTTP/1.1 204 No Content\r\nconnection: close\r\n\r\n");
  });
  const { post } = openForTest(t);
  await post(`https://hooks.example.com:${port}/`);
  await post(`https://127.0.0.1:${port}/`);
  assert.deepEqual(names, ["hooks.example.com", false]);
});

test("ALPN offers HTTP/1.1 only", async (t) => {
  const server = createSecureServer({ ...credential, allowHTTP1: true });
  const versions: string[] = [];
  server.on("request", (request, response) => {
    versions.push(request.httpVersion);
    response.end();
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  t.after(() => server.close());
  const { port } = server.address() as { port: number };
  const { outbound, post } = openForTest(t);
  assert.equal((await post(`https://127.0.0.1:${port}/`)).kind, "answered");
  assert.deepEqual(versions, ["1.1"]);
  await outbound.close();
});

test("a request to an IPv6 address succeeds", async (t) => {
  const keys = authority.issue(["::1"]);
  const server = createServer(keys, (_request, response) => response.end("six"));
  server.listen(0, "::1");
  const hasIpv6 = await Promise.race([
    once(server, "listening").then(() => true),
    once(server, "error").then(() => false),
  ]);
  if (!hasIpv6) return t.skip("this machine has no IPv6 loopback");
  t.after(() => server.close());
  const { port } = server.address() as { port: number };
  const { outbound, post } = openForTest(t);
  const result = await post(`https://[::1]:${port}/`);
  assert.ok(result.kind === "answered" && result.body === "six", JSON.stringify(result));
  await outbound.close();
});
