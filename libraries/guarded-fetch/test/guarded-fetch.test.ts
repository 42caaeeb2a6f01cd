import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import { type TestContext, test } from "node:test";
import { gzipSync } from "node:zlib";
import { request } from "undici";
import { createAddressPolicy, openGuardedFetch } from "../src/index.ts";
import { OutboundError } from "../src/outbound-result.ts";
import { authority, loopbackPolicy, resolveTo, startReceiver } from "../../../server/test/support/receiver.ts";

function openFetch(t: TestContext, options: Partial<Parameters<typeof openGuardedFetch>[0]> = {}) {
  const guarded = openGuardedFetch({
    policy: createAddressPolicy({ allowedCidrs: [] }),
    ca: [authority.cert],
    connectionsPerOrigin: 8,
    exemptUrls: [],
    resolve: resolveTo("127.0.0.1"),
    ...options,
  });
  t.after(() => guarded.close());
  return guarded;
}

const isRejection = (error: unknown): boolean => {
  const cause = error instanceof OutboundError ? error : (error as Error).cause;
  return cause instanceof OutboundError && (cause.fault === "blocked_address" || cause.fault === "invalid_url");
};

test("guarded fetch blocks internal addresses, local names and plain HTTP", async (t) => {
  const receiver = await startReceiver(t);
  const { fetch, dispatcher } = openFetch(t);
  for (const url of [
    `https://127.0.0.1:${receiver.port}/`,
    `https://2130706433:${receiver.port}/`,
    `https://[::1]:${receiver.port}/`,
    `https://[::ffff:127.0.0.1]:${receiver.port}/`,
    `https://localhost:${receiver.port}/`,
    `https://hooks.example.com:${receiver.port}/`,
    `http://hooks.example.com:${receiver.port}/`,
  ]) {
    await assert.rejects(fetch(url), isRejection, url);
    await assert.rejects(request(url, { dispatcher }), isRejection, url);
  }
  // Rejected before the name is resolved.
  await assert.rejects(request("https://hooks.example.com:6667/", { dispatcher }), { fault: "invalid_url" });
  assert.equal(receiver.accepted, 0);
});

test("guarded fetch streams the response of an allowed target", async (t) => {
  const { port } = await startReceiver(t, ({ body, headers }, response) => {
    response.setHeader("x-encoding", String(headers["accept-encoding"]));
    response.write("one ");
    response.end(body);
  });
  const { fetch } = openFetch(t, { policy: loopbackPolicy });
  const response = await fetch(`https://hooks.example.com:${port}/`, {
    method: "POST",
    body: "two",
    headers: { "x-a": "b" },
  });
  assert.equal(response.headers.get("x-encoding"), "identity");
  assert.equal(await response.text(), "one two");
});

test("guarded fetch rejects redirects whatever the caller sets", async (t) => {
  const elsewhere = await startReceiver(t);
  const { port } = await startReceiver(t, (_request, response) => {
    response.writeHead(302, { location: `https://127.0.0.1:${elsewhere.port}/` }).end();
  });
  const { fetch } = openFetch(t, { policy: loopbackPolicy });
  for (const redirect of [undefined, "follow", "manual"] as const) {
    await assert.rejects(fetch(`https://127.0.0.1:${port}/`, redirect === undefined ? {} : { redirect }), TypeError);
  }
  assert.equal(elsewhere.accepted, 0);
});

test("guarded fetch rejects a compressed response", async (t) => {
  const bomb = gzipSync(Buffer.alloc(10_000_000));
  const { port } = await startReceiver(t, (_request, response) => {
    response.writeHead(200, { "content-encoding": "gzip" }).end(bomb);
  });
  const { fetch } = openFetch(t, { policy: loopbackPolicy });
  await assert.rejects(fetch(`https://127.0.0.1:${port}/`), { fault: "protocol" });
});

test("only exempt origins may have internal addresses or use plain HTTP", async (t) => {
  const server = createServer((_request, response) => response.end("local model")).listen(0, "127.0.0.1");
  await once(server, "listening");
  t.after(() => server.close());
  const { port } = server.address() as { port: number };
  const secure = await startReceiver(t);
  const { fetch } = openFetch(t, {
    exemptUrls: [`http://127.0.0.1:${port}/v1`, `https://127.0.0.1:${secure.port}`],
  });
  assert.equal(await (await fetch(`http://127.0.0.1:${port}/v1/chat`)).text(), "local model");
  assert.equal(await (await fetch(`https://127.0.0.1:${secure.port}/`)).text(), "ok");
  await assert.rejects(fetch(`http://127.0.0.1:${secure.port}/`), isRejection);
  await assert.rejects(fetch(`https://127.0.0.1:${port}/`), isRejection);
  await assert.rejects(fetch(`http://localhost:${port}/`), isRejection);
});
