import assert from "node:assert/strict";
import { test } from "node:test";
import type { TLSSocket } from "node:tls";
import type { OutboundFault, OutboundResult } from "../src/index.ts";
import { findFreePort } from "../../../server/test/support/free-port.ts";
import { createTestAuthority } from "../../../server/test/support/certificates.ts";
import {
  authority,
  openForTest,
  startPlainReceiver,
  startRawReceiver,
  startReceiver,
} from "../../../server/test/support/receiver.ts";

function assertFailed(
  result: OutboundResult,
  code: OutboundFault,
): asserts result is OutboundResult & { kind: "failed" } {
  assert.ok(result.kind === "failed" && result.code === code, `${code} expected: ${JSON.stringify(result)}`);
  assert.doesNotMatch(result.message, /127\.0\.0\.1|::1/);
}

test("redirects are returned and not followed", async (t) => {
  const elsewhere = await startReceiver(t);
  const { post } = openForTest(t);
  for (const status of [301, 302, 303, 307, 308]) {
    const { port } = await startReceiver(t, (_request, response) => {
      response.writeHead(status, { location: `https://127.0.0.1:${elsewhere.port}/` }).end();
    });
    const result = await post(`https://127.0.0.1:${port}/`);
    assert.ok(result.kind === "answered" && result.status === status, JSON.stringify(result));
  }
  assert.equal(elsewhere.accepted, 0);
});

test("a closed port gives connect_refused", async (t) => {
  const port = await findFreePort();
  assertFailed(await openForTest(t).post(`https://127.0.0.1:${port}/`), "connect_refused");
  assertFailed(await openForTest(t).post(`https://hooks.example.com:${port}/`), "connect_refused");
});

test("the second address of a name is used when the first refuses connections", async (t) => {
  const { port } = await startReceiver(t);
  const resolve = async () => ({
    addresses: [
      { address: "127.0.0.9", family: 4 as const },
      { address: "127.0.0.1", family: 4 as const },
    ],
    ttlSeconds: 60,
  });
  assert.equal((await openForTest(t, { resolve }).post(`https://hooks.example.com:${port}/`)).kind, "answered");
});

test("a certificate must be trusted, valid now and issued for the host name", async (t) => {
  const stranger = createTestAuthority("stranger");
  const cases = [
    { keys: stranger.issue(["127.0.0.1"]), host: "127.0.0.1" },
    { keys: authority.issue(["other.example.com"]), host: "127.0.0.1" },
    { keys: authority.issue(["other.example.com"]), host: "hooks.example.com" },
    { keys: authority.issue(["127.0.0.1"]), host: "hooks.example.com" },
    { keys: authority.issue(["127.0.0.1"], -1_000), host: "127.0.0.1" },
  ];
  for (const { keys, host } of cases) {
    const receiver = await startReceiver(t, undefined, keys);
    const { outbound, post } = openForTest(t);
    const result = await post(`https://${host}:${receiver.port}/`);
    assertFailed(result, "tls");
    assert.match(result.message, /\([A-Z0-9_]+\)$/);
    assert.deepEqual(outbound.size, { origins: 0, connections: 0 });
  }
});

test("environment variables can neither disable certificate checks nor set a proxy", async (t) => {
  const proxy = await startPlainReceiver(t, (socket) => socket.end());
  const receiver = await startReceiver(t, undefined, createTestAuthority("stranger").issue(["127.0.0.1"]));
  const good = await startReceiver(t);
  const given = {
    NODE_TLS_REJECT_UNAUTHORIZED: "0",
    HTTPS_PROXY: `http://127.0.0.1:${proxy.port}`,
    https_proxy: `http://127.0.0.1:${proxy.port}`,
    ALL_PROXY: `http://127.0.0.1:${proxy.port}`,
    NODE_USE_ENV_PROXY: "1",
  };
  const before = Object.fromEntries(Object.keys(given).map((name) => [name, process.env[name]]));
  t.after(() => {
    for (const [name, value] of Object.entries(before)) {
      if (value === undefined) delete process.env[name];
      else process.env[name] = value;
    }
  });
  Object.assign(process.env, given);
  const { post } = openForTest(t);
  assertFailed(await post(`https://127.0.0.1:${receiver.port}/`), "tls");
  assert.equal((await post(`https://127.0.0.1:${good.port}/`)).kind, "answered");
  assert.equal(proxy.accepted, 0);
});

test("a server without TLS gives the fault tls", async (t) => {
  const { port } = await startPlainReceiver(t, (socket) => {
    socket.on("error", () => {});
    socket.once("data", () => socket.end("HTTP/1.1 400 Bad Request\r\n\r\n"));
  });
  assertFailed(await openForTest(t).post(`https://127.0.0.1:${port}/`), "tls");
});

test("a connection that closes or resets in any state gives the fault reset", async (t) => {
  const { post } = openForTest(t);
  const plain = await startPlainReceiver(t, (socket) => {
    socket.on("error", () => {});
    socket.once("data", () => socket.destroy());
  });
  assertFailed(await post(`https://127.0.0.1:${plain.port}/`), "reset");
  const cases: ((socket: TLSSocket) => void)[] = [
    (socket) => socket.end(),
    (socket) => socket.destroy(),
    (socket) => socket.end("HTTP/1.1 200 OK\r\ncontent-le"),
    (socket) => socket.end("HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n5\r\nhel"),
    (socket) => {
      socket.write("HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\nhalf", () => socket.destroy());
    },
  ];
  for (const answer of cases) {
    const { port } = await startRawReceiver(t, answer);
    const result = await post(`https://127.0.0.1:${port}/`);
    assert.ok(
      result.kind === "failed" && (result.code === "reset" || result.code === "protocol"),
      `${answer.toString()}: ${JSON.stringify(result)}`,
    );
  }
});

test("a response that is not valid HTTP gives the fault protocol", async (t) => {
  const { post } = openForTest(t);
  const cases: Record<string, string> = {
    "another protocol": "220 mail.example.com ESMTP\r\n",
    "no version": "HTTP/9.9 200 OK\r\n\r\n",
    "status that is none": "HTTP/1.1 abc OK\r\n\r\n",
    "broken header": "HTTP/1.1 200 OK\r\n: x\r\n\r\n",
    "two lengths": "HTTP/1.1 200 OK\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\nab",
    "length and chunks": "HTTP/1.1 200 OK\r\ncontent-length: 1\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n",
    "bad chunk": "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n",
    "another protocol wanted": "HTTP/1.1 101 Switching Protocols\r\nupgrade: h2c\r\nconnection: upgrade\r\n\r\n",
    "long headers": `HTTP/1.1 200 OK\r\nx: ${"a".repeat(20_000)}\r\n\r\n`,
    "many headers": `HTTP/1.1 200 OK\r\n${"x: 1234567\r\n".repeat(4_000)}\r\n`,
    "a flood of interim answers": "HTTP/1.1 103 Early Hints\r\nlink: <a>\r\n\r\n".repeat(1_000),
    "an interim answer that was not asked for": "HTTP/1.1 100 Continue\r\n\r\n",
  };
  for (const [name, answer] of Object.entries(cases)) {
    const { port } = await startRawReceiver(t, (socket) => socket.write(answer, "latin1"));
    const result = await post(`https://127.0.0.1:${port}/`);
    assert.ok(result.kind === "failed" && result.code === "protocol", `${name}: ${JSON.stringify(result)}`);
  }
});

test("a few interim responses are ignored", async (t) => {
  const { port } = await startRawReceiver(t, (socket) =>
    socket.write(`${"HTTP/1.1 103 Early Hints\r\n\r\n".repeat(3)}HTTP/1.1 204 No Content\r\n\r\n`),
  );
  const result = await openForTest(t).post(`https://127.0.0.1:${port}/`);
  assert.ok(result.kind === "answered" && result.status === 204, JSON.stringify(result));
});

test("headers that cannot be sent give the fault invalid_header", async (t) => {
  const receiver = await startReceiver(t);
  const { post } = openForTest(t);
  for (const headers of [
    { host: "other" },
    { "x-a": "1\r\nx-b: 2" },
    { "x-a": "ü" },
    { "bad name": "1" },
    { "Transfer-Encoding": "chunked" },
  ]) {
    assertFailed(await post(`https://127.0.0.1:${receiver.port}/`, { headers: headers }), "invalid_header");
  }
  assert.equal(receiver.accepted, 0);
});

test("a name that does not resolve gives the fault dns", async (t) => {
  const failing = Object.assign(new Error("queryA ENOTFOUND"), { code: "ENOTFOUND" });
  const { post } = openForTest(t, { resolve: () => Promise.reject(failing) });
  const result = await post("https://hooks.example.com/");
  assertFailed(result, "dns");
  assert.match(result.message, /ENOTFOUND/);
  assertFailed(
    await openForTest(t, { resolve: async () => ({ addresses: [], ttlSeconds: 1 }) }).post(
      "https://hooks.example.com/",
    ),
    "dns",
  );
});
