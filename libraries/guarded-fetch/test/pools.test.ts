import assert from "node:assert/strict";
import { getEventListeners, once } from "node:events";
import { test } from "node:test";
import type { TLSSocket } from "node:tls";
import { buildTlsOptions } from "../src/connection/guarded-connector.ts";
import { authority, openForTest, startRawReceiver, startReceiver } from "../../../server/test/support/receiver.ts";
import { until } from "../../../server/test/support/until.ts";

const OK = "HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok";

test("consecutive requests share one connection", async (t) => {
  const receiver = await startReceiver(t);
  const { outbound, post } = openForTest(t);
  for (let count = 0; count < 50; count += 1) {
    assert.equal((await post(`https://hooks.example.com:${receiver.port}/`)).kind, "answered");
  }
  assert.equal(receiver.accepted, 1);
  assert.deepEqual(outbound.size, { origins: 1, connections: 1 });
});

test("connectors that trust the same authorities share the parsed certificates", () => {
  const [first, second] = [buildTlsOptions([]), buildTlsOptions([])];
  assert.equal(first.secureContext, second.secureContext);
  assert.notEqual(buildTlsOptions([authority.cert]).secureContext, first.secureContext);
});

test("concurrent requests use at most the allowed connections and all are answered", async (t) => {
  let [now, most] = [0, 0];
  const allAreThere = Promise.withResolvers<void>();
  const receiver = await startReceiver(t, (_request, response) => {
    now += 1;
    most = Math.max(most, now);
    if (most === 4) allAreThere.resolve();
    void allAreThere.promise.then(() => {
      now -= 1;
      response.end("ok");
    });
  });
  const { post } = openForTest(t, { connectionsPerOrigin: 4 });
  const results = await Promise.all(Array.from({ length: 100 }, () => post(`https://127.0.0.1:${receiver.port}/`)));
  assert.ok(results.every(({ kind }) => kind === "answered"));
  assert.equal(most, 4);
  assert.equal(receiver.accepted, 4);
});

test("requests that come together share a connection until they have waited", async (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const receiver = await startReceiver(t);
  const { post } = openForTest(t, { connectionsPerOrigin: 64 });
  const results = await Promise.all(Array.from({ length: 64 }, () => post(`https://127.0.0.1:${receiver.port}/`)));
  assert.ok(results.every(({ kind }) => kind === "answered"));
  assert.equal(receiver.accepted, 1);
});

test("a request that is never answered delays the others of its origin only until further connections are open", async (t) => {
  const receiver = await startReceiver(t, (request, response) => {
    if (request.url !== "/silent") response.end("ok");
  });
  const { post } = openForTest(t, { connectionsPerOrigin: 8 });
  const stopping = new AbortController();
  const silent = Array.from({ length: 7 }, () =>
    post(`https://127.0.0.1:${receiver.port}/silent`, { signal: stopping.signal }),
  );
  const others = await Promise.all(Array.from({ length: 50 }, () => post(`https://127.0.0.1:${receiver.port}/`)));
  assert.ok(others.every(({ kind }) => kind === "answered"));
  assert.equal(receiver.accepted, 8);
  stopping.abort();
  assert.ok((await Promise.all(silent)).every((result) => result.kind === "failed" && result.code === "aborted"));
});

test("the connection limit holds for an origin where every connection fails", async (t) => {
  let [now, most] = [0, 0];
  const receiver = await startRawReceiver(t, (socket) => {
    now += 1;
    most = Math.max(most, now);
    socket.on("close", () => {
      now -= 1;
    });
    setTimeout(() => socket.destroy(), 5);
  });
  const { outbound, post } = openForTest(t, { connectionsPerOrigin: 3 });
  const results = await Promise.all(Array.from({ length: 40 }, () => post(`https://127.0.0.1:${receiver.port}/`)));
  assert.ok(results.every((result) => result.kind === "failed" && result.code === "reset"));
  assert.ok(most <= 4, `${most} at once`);
  assert.equal(receiver.accepted, 40);
  await until(() => receiver.open === 0 && outbound.size.origins === 0);
});

test("above the limit of origins the least recently used idle pools close", async (t) => {
  const receiver = await startReceiver(t);
  const { outbound, post } = openForTest(t, { maxOrigins: 3 });
  const send = (name: string) => post(`https://${name}.example.com:${receiver.port}/`);
  for (const name of ["a", "b", "c", "a", "d"]) assert.equal((await send(name)).kind, "answered");
  assert.deepEqual(outbound.size, { origins: 3, connections: 3 });
  await until(() => receiver.open === 3);
  assert.equal(receiver.accepted, 4);
  await send("a");
  assert.equal(receiver.accepted, 4);
  await send("b");
  assert.equal(receiver.accepted, 5);
});

test("busy origins may exceed the limit of origins and close when they are idle", async (t) => {
  const receiver = await startReceiver(t, (_request, response) => setTimeout(() => response.end("ok"), 50));
  const { outbound, post } = openForTest(t, { maxOrigins: 2 });
  const results = Promise.all(
    Array.from({ length: 20 }, (_, at) => post(`https://n${at}.example.com:${receiver.port}/`)),
  );
  assert.equal(outbound.size.origins, 20);
  assert.ok((await results).every(({ kind }) => kind === "answered"));
  await until(() => outbound.size.origins <= 2 && receiver.open <= 2);
});

test("a socket is replaced at its maximum age", async (t) => {
  const receiver = await startReceiver(t);
  const { post } = openForTest(t, { maxSocketAgeMs: 0 });
  for (let count = 0; count < 3; count += 1) {
    assert.equal((await post(`https://127.0.0.1:${receiver.port}/`)).kind, "answered");
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
  assert.equal(receiver.accepted, 3);
  await until(() => receiver.open === 1);
});

test("a kept-alive connection that closes after the request was written fails the request without a resend", async (t) => {
  const seen: string[] = [];
  const receiver = await startRawReceiver(t, (socket, request) => {
    seen.push(request.split(" ", 2).join(" "));
    if (seen.length === 2) socket.destroy();
    else socket.write(OK);
  });
  const { post } = openForTest(t);
  assert.equal((await post(`https://127.0.0.1:${receiver.port}/one`)).kind, "answered");
  const result = await post(`https://127.0.0.1:${receiver.port}/two`);
  assert.ok(result.kind === "failed" && result.code === "reset", JSON.stringify(result));
  assert.deepEqual([receiver.accepted, seen], [1, ["POST /one", "POST /two"]]);
  assert.equal((await post(`https://127.0.0.1:${receiver.port}/three`)).kind, "answered");
  assert.deepEqual([receiver.accepted, seen.length], [2, 3]);
});

test("a kept-alive connection that closed before the request was written is replaced", async (t) => {
  const seen: string[] = [];
  const sockets: TLSSocket[] = [];
  const receiver = await startRawReceiver(t, (socket, request) => {
    seen.push(request.split(" ", 2).join(" "));
    sockets.push(socket);
    socket.write(OK);
  });
  const { post } = openForTest(t);
  for (const path of ["one", "two", "three"]) {
    const result = await post(`https://127.0.0.1:${receiver.port}/${path}`);
    assert.equal(result.kind, "answered", JSON.stringify(result));
    const socket = sockets.at(-1) as TLSSocket;
    const closed = once(socket, "close");
    socket.destroy();
    // The next request starts when the receiver has closed, before the sender has read the close.
    await closed;
  }
  assert.deepEqual([receiver.accepted, seen], [3, ["POST /one", "POST /two", "POST /three"]]);
});

test("a connection with connection: close is not reused", async (t) => {
  const receiver = await startReceiver(t, (_request, response) => {
    response.setHeader("connection", "close");
    response.end("ok");
  });
  const { outbound, post } = openForTest(t);
  const results = await Promise.all(Array.from({ length: 30 }, () => post(`https://127.0.0.1:${receiver.port}/`)));
  assert.ok(results.every(({ kind }) => kind === "answered"));
  assert.equal(receiver.accepted, 30);
  await until(() => outbound.size.connections === 0 && receiver.open === 0);
});

test("unexpected bytes on an idle connection close it", async (t) => {
  const receiver = await startRawReceiver(t, (socket) =>
    socket.write(`${OK}HTTP/1.1 200 OK\r\ncontent-length: 4\r\n\r\nevil`),
  );
  const { post } = openForTest(t);
  for (let count = 0; count < 3; count += 1) {
    const result = await post(`https://127.0.0.1:${receiver.port}/`);
    assert.ok(result.kind === "answered" && result.body === "ok", JSON.stringify(result));
    await until(() => receiver.open === 0);
  }
  assert.equal(receiver.accepted, 3);
});

interface Behaviour {
  readonly answer: (socket: TLSSocket) => unknown;
  readonly outcomes: readonly string[];
}

const SLOW = ["timeout", "connect_timeout"];
const BEHAVIOURS: readonly Behaviour[] = [
  { answer: (socket) => socket.write(OK), outcomes: ["200"] },
  { answer: (socket) => socket.destroy(), outcomes: ["reset"] },
  { answer: (socket) => socket.end("HTTP/1.1 500 Oops\r\n\r\nno"), outcomes: ["500"] },
  { answer: (socket) => socket.write(`HTTP/1.1 200 OK\r\n\r\n${"x".repeat(70_000)}`), outcomes: ["200"] },
  { answer: (socket) => socket.write("nonsense\r\n\r\n"), outcomes: ["protocol"] },
  { answer: (socket) => socket.write("HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nhal"), outcomes: SLOW },
  { answer: () => {}, outcomes: SLOW },
];

test("thousands of mixed requests leave no open socket and no timer", async (t) => {
  const receiver = await startRawReceiver(t, (socket, request) => {
    BEHAVIOURS[Number(/^POST \/(\d+) /.exec(request)?.[1])]?.answer(socket);
  });
  const { outbound, post } = openForTest(t, { connectionsPerOrigin: 8 });
  const countTimers = () => process.getActiveResourcesInfo().filter((name) => name === "Timeout").length;
  const timersBefore = countTimers();
  const { signal } = new AbortController();
  const wrong: string[] = [];
  let sent = 0;
  const run = async (): Promise<void> => {
    while (sent < 2_000) {
      sent += 1;
      // One in five requests gets an unusual response.
      const number = sent % 5 === 0 ? (sent / 5) % BEHAVIOURS.length : 0;
      const { outcomes } = BEHAVIOURS[number] as Behaviour;
      const timeoutMs = outcomes === SLOW ? 60 : 30_000;
      const result = await post(`https://n${sent % 3}.example.com:${receiver.port}/${number}`, { timeoutMs, signal });
      const outcome = result.kind === "answered" ? String(result.status) : result.code;
      if (!outcomes.includes(outcome)) wrong.push(`${number}: ${JSON.stringify(result)}`);
    }
  };
  await Promise.all(Array.from({ length: 32 }, run));
  assert.deepEqual(wrong, []);
  assert.ok(outbound.size.connections <= 24);
  await until(() => receiver.open === outbound.size.connections);
  await outbound.close();
  await until(() => receiver.open === 0);
  assert.deepEqual(outbound.size, { origins: 0, connections: 0 });
  await until(() => countTimers() <= timersBefore);
  assert.equal(getEventListeners(signal, "abort").length, 0);
});
