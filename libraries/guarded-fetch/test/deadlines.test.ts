import assert from "node:assert/strict";
import { test } from "node:test";
import type { OutboundFault, OutboundResult } from "../src/index.ts";
import {
  openForTest,
  startPlainReceiver,
  startRawReceiver,
  startReceiver,
  startTlsReceiver,
} from "../../../server/test/support/receiver.ts";
import { until } from "../../../server/test/support/until.ts";

const TIMEOUT_MS = 500;

function assertInTime(result: OutboundResult, code: OutboundFault): void {
  assert.ok(result.kind === "failed" && result.code === code, `${code} expected: ${JSON.stringify(result)}`);
  assert.ok(result.durationMs >= TIMEOUT_MS - 5 && result.durationMs < 8_000, String(result.durationMs));
}

test("the deadline includes the DNS lookup", async (t) => {
  const { outbound, post } = openForTest(t, { resolve: () => new Promise(() => {}) });
  assertInTime(await post("https://hooks.example.com/", { timeoutMs: TIMEOUT_MS }), "connect_timeout");
  await until(() => outbound.size.connections === 0);
});

test("the deadline includes the TLS handshake and closes its socket", async (t) => {
  const receiver = await startPlainReceiver(
    t,
    (socket) =>
      void socket
        .on("error", () => {})
        .on("end", () => socket.end())
        .resume(),
  );
  const { outbound, post } = openForTest(t);
  assertInTime(await post(`https://127.0.0.1:${receiver.port}/`, { timeoutMs: TIMEOUT_MS }), "connect_timeout");
  await until(() => receiver.open === 0 && outbound.size.connections === 0);
});

test("the deadline includes response headers that never arrive or arrive byte by byte", async (t) => {
  const { post } = openForTest(t);
  const silent = await startRawReceiver(t, () => {});
  assertInTime(await post(`https://127.0.0.1:${silent.port}/`, { timeoutMs: TIMEOUT_MS }), "timeout");
  const slow = await startRawReceiver(t, (socket) =>
    drip(socket, "HTTP/1.1 200 OK\r\nx: aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"),
  );
  assertInTime(await post(`https://127.0.0.1:${slow.port}/`, { timeoutMs: TIMEOUT_MS }), "timeout");
  await until(() => silent.open === 0 && slow.open === 0);
});

test("the deadline includes a slow response body", async (t) => {
  const receiver = await startRawReceiver(t, (socket) => {
    socket.write("HTTP/1.1 200 OK\r\ncontent-length: 1000\r\n\r\n");
    drip(socket, "a".repeat(1_000));
  });
  assertInTime(await openForTest(t).post(`https://127.0.0.1:${receiver.port}/`, { timeoutMs: TIMEOUT_MS }), "timeout");
  await until(() => receiver.open === 0);
});

test("the deadline includes a receiver that does not read", async (t) => {
  const receiver = await startTlsReceiver(t, (socket) => void socket.pause());
  const request = { timeoutMs: TIMEOUT_MS, body: Buffer.alloc(8_000_000) };
  assertInTime(await openForTest(t).post(`https://127.0.0.1:${receiver.port}/`, request), "timeout");
  assert.equal(receiver.accepted, 1);
});

test("the deadline includes the wait for a connection", async (t) => {
  const receiver = await startRawReceiver(t, () => {});
  const { post } = openForTest(t, { connectionsPerOrigin: 1 });
  const url = `https://127.0.0.1:${receiver.port}/`;
  const first = post(url, { timeoutMs: 2 * TIMEOUT_MS });
  const second = await post(url, { timeoutMs: TIMEOUT_MS });
  assertInTime(second, "timeout");
  assert.match(second.kind === "failed" ? second.message : "", /became free/);
  assert.equal((await first).kind, "failed");
  assert.equal(receiver.accepted, 1);
});

test("a request whose deadline has passed is not sent", async (t) => {
  const requests: string[] = [];
  const receiver = await startReceiver(t, (request, response) => {
    requests.push(request.url ?? "");
    response.end();
  });
  const blocked = Promise.withResolvers<void>();
  const { outbound, post } = openForTest(t, {
    resolve: async () => {
      await blocked.promise;
      return { addresses: [{ address: "127.0.0.1", family: 4 }], ttlSeconds: 60 };
    },
  });
  const late = await post(`https://hooks.example.com:${receiver.port}/late`, { timeoutMs: 50 });
  assert.ok(late.kind === "failed" && late.code === "connect_timeout", JSON.stringify(late));
  blocked.resolve();
  const next = await post(`https://hooks.example.com:${receiver.port}/next`);
  assert.equal(next.kind, "answered");
  assert.deepEqual(requests, ["/next"]);
  assert.equal(outbound.size.connections, 1);
});

test("an abort ends a request in every state", async (t) => {
  const handshake = await startPlainReceiver(
    t,
    (socket) =>
      void socket
        .on("error", () => {})
        .on("end", () => socket.end())
        .resume(),
  );
  const silent = await startRawReceiver(t, () => {});
  const dripping = await startRawReceiver(t, (socket) => {
    socket.write("HTTP/1.1 200 OK\r\ncontent-length: 1000\r\n\r\n");
    drip(socket, "a".repeat(1_000));
  });
  for (const receiver of [handshake, silent, dripping]) {
    const { outbound, post } = openForTest(t, { connectionsPerOrigin: 1 });
    const stop = new AbortController();
    const url = `https://127.0.0.1:${receiver.port}/`;
    const results = [post(url, { signal: stop.signal }), post(url, { signal: stop.signal })];
    await until(() => receiver.accepted >= 1);
    setTimeout(() => stop.abort(), 50);
    for (const result of await Promise.all(results)) assert.ok(result.kind === "failed" && result.code === "aborted");
    const never = await post(url, { signal: stop.signal });
    assert.ok(never.kind === "failed" && never.code === "aborted");
    await until(() => receiver.open === 0 && outbound.size.origins === 0);
    assert.equal(receiver.accepted, 1);
  }
});

test("close aborts all requests", async (t) => {
  const receiver = await startRawReceiver(t, () => {});
  const { outbound, post } = openForTest(t, { connectionsPerOrigin: 2 });
  const results = [1, 2, 3, 4].map(() => post(`https://127.0.0.1:${receiver.port}/`));
  await until(() => receiver.accepted >= 2);
  await outbound.close();
  for (const result of await Promise.all(results)) assert.ok(result.kind === "failed" && result.code === "aborted");
  const late = await post(`https://127.0.0.1:${receiver.port}/`);
  assert.ok(late.kind === "failed" && late.code === "aborted");
  await until(() => receiver.open === 0);
});

function drip(socket: { write(text: string): unknown; destroyed: boolean }, text: string): void {
  let at = 0;
  const timer = setInterval(() => {
    if (socket.destroyed || at === text.length) return clearInterval(timer);
    socket.write(text.charAt(at));
    at += 1;
  }, 10);
}
