import assert from "node:assert/strict";
import { once } from "node:events";
import http2 from "node:http2";
import { test } from "node:test";
import { sendStream } from "../../src/http/index.ts";
import { clientSignalOf } from "../../src/http/request/client-signal.ts";
import {
  ask,
  END_HEADERS,
  END_STREAM,
  FRAME,
  frame,
  headerBlock,
  openRaw,
  openSession,
  readAnswer,
} from "./support/http2-client.ts";
import { route, startServer } from "./support/test-server.ts";
import { until } from "../support/until.ts";

const JSON_TYPE = { "content-type": "application/json" };
const echo = route("/echo", (request) => request.body ?? {}, "POST");

test("HTTP/2 requests get the responses of HTTP/1.1", async (t) => {
  const seen = route("/seen", ({ raw, headers, clientAddress }) => ({
    host: headers.host,
    pseudo: Object.keys(headers).filter((name) => name.startsWith(":")),
    distinct: raw.headersDistinct["x-two"],
    ip: clientAddress,
    url: raw.url,
  }));
  const server = await startServer(t, { routes: [echo, seen], settings: { bodyLimitBytes: 100_000 } });
  const session = await openSession(t, server);
  assert.equal(session.alpnProtocol, "h2");
  assert.equal(session.remoteSettings.maxConcurrentStreams, 100);
  // A client that wants a WebSocket opens a connection with HTTP/1.1.
  assert.equal(session.remoteSettings.enableConnectProtocol, false);

  const health = await ask(session, { ":path": "/health" });
  assert.equal(health.status, 200);
  assert.deepEqual(JSON.parse(health.text), (await server.request("/health")).json);
  assert.equal(health.headers["cache-control"], "no-store");
  assert.match(health.headers["x-request-id"] as string, /^[0-9a-f-]{36}$/);
  assert.deepEqual(JSON.parse((await ask(session, { ":path": "/seen?a=1", "x-two": ["1", "2"] })).text), {
    host: `localhost:${server.port}`,
    pseudo: [],
    distinct: ["1", "2"],
    ip: "127.0.0.1",
    url: "/seen?a=1",
  });

  const post = { ":method": "POST", ":path": "/echo" };
  const large = JSON.stringify({ text: "x".repeat(90_000) });
  assert.equal((await ask(session, { ...post, ...JSON_TYPE }, large)).text, large);
  const statuses = await Promise.all(
    [
      ask(session, { ":method": "HEAD", ":path": "/health" }),
      ask(session, { ":path": "/nowhere" }),
      ask(session, { ":path": "/echo" }),
      ask(session, post, "{}"),
      ask(session, { ...post, ...JSON_TYPE }, "{"),
      ask(session, { ...post, ...JSON_TYPE }, "x".repeat(100_001)),
      ask(session, { ...post, ...JSON_TYPE, "content-length": 100_001 }, "x".repeat(100_001)),
      ask(session, { ":method": "OPTIONS", ":path": "/echo", "access-control-request-method": "POST" }),
      ask(session, { ":path": "/health", ":authority": "localhost", host: "other.example" }),
      readAnswer(session.request({ ":method": "CONNECT", ":authority": "example.com:443" }, { endStream: true })),
      ask(session, { ...post, ...JSON_TYPE, expect: "100-continue" }, "{}"),
      ask(session, { ":method": "__proto__", ":path": "/health" }),
      ask(session, { ":method": "get", ":path": "/health" }),
      ask(session, { ":method": "QUERY", ":path": "/health" }),
    ].map(async (answer) => {
      const { status, headers } = await answer;
      assert.equal(headers["cache-control"], "no-store", String(status));
      assert.equal(headers["connection"], undefined);
      return status;
    }),
  );
  assert.deepEqual(statuses, [200, 404, 405, 415, 400, 413, 413, 204, 400, 405, 200, 400, 400, 405]);
  const many = await Promise.all(Array.from({ length: 300 }, () => ask(session, { ":path": "/health" })));
  assert.ok(many.every(({ status }) => status === 200));
  assert.equal(server.notes.filter(({ fields }) => fields["isCutShort"] === true).length, 0);
});

test("HTTP2_ENABLED=false leaves HTTP/1.1", async (t) => {
  const server = await startServer(t, { settings: { http2Enabled: false } });
  await assert.rejects(openSession(t, server));
  assert.equal((await server.request("/health")).status, 200);
});

test("a response that is sent before the body is read ends the upload", async (t) => {
  const early = route("/early", (_request, reply) => reply.send("x".repeat(60_000)));
  const server = await startServer(t, { routes: [early] });
  const session = await openSession(t, server);
  const upload = session.request({ ":path": "/early", ...JSON_TYPE }, { endStream: false });
  const answer = await readAnswer(upload);
  assert.equal(answer.text.length, 60_000);
  if (!upload.closed) await once(upload, "close");
  assert.equal(upload.rstCode, http2.constants.NGHTTP2_NO_ERROR);
});

test("the reset that ends an upload follows the end of the response", async (t) => {
  const server = await startServer(t);
  const { socket, frames } = await openRaw(server);
  t.after(() => socket.destroy());
  socket.write(frame(FRAME.headers, END_HEADERS, 1, headerBlock("/nowhere")));
  await until(() => frames.some(({ type }) => type === FRAME.reset));
  const types = frames
    .filter(({ stream }) => stream === 1)
    .map(({ type, flags, code }) => [type, flags & END_STREAM, code]);
  assert.deepEqual(types.slice(-2), [
    [FRAME.data, END_STREAM, null],
    [FRAME.reset, 0, http2.constants.NGHTTP2_NO_ERROR],
  ]);
});

test("a stream over HTTP/2 sends each chunk at once, fails with its producer, and notices a client that leaves", async (t) => {
  const gates = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  let gone = 0;
  const stream = (path: string, produce: () => AsyncIterable<string>) =>
    route(path, async (_request, reply) => {
      clientSignalOf(reply).addEventListener("abort", () => (gone += 1));
      await sendStream(reply, { status: 200, headers: { "content-type": "text/event-stream" }, stream: produce() });
      return reply;
    });
  const routes = [
    stream("/whole", async function* () {
      yield "one";
      await gates[0]?.promise;
      yield "two";
    }),
    stream("/failing", async function* () {
      yield "one";
      await gates[1]?.promise;
      throw new Error("the database went away");
    }),
    stream("/endless", async function* () {
      for (;;) yield "x".repeat(100_000);
    }),
  ];
  const server = await startServer(t, { routes });
  const session = await openSession(t, server);
  const open = async (path: string) => {
    const opened = session.request({ ":path": path });
    opened.on("error", () => {});
    const [[headers], [chunk]] = await Promise.all([once(opened, "response"), once(opened, "data")]);
    assert.equal((headers as http2.IncomingHttpHeaders)["content-encoding"], undefined);
    return { opened, chunk: String(chunk) };
  };
  const whole = await open("/whole");
  assert.equal(whole.chunk, "one");
  gates[0]?.resolve();
  assert.equal(String((await once(whole.opened, "data"))[0]), "two");
  await once(whole.opened, "close");
  assert.equal(gone, 0);

  const failing = await open("/failing");
  gates[1]?.resolve();
  await assert.rejects(once(failing.opened, "end"), { code: "ERR_HTTP2_STREAM_ERROR" });
  assert.equal(failing.opened.rstCode, http2.constants.NGHTTP2_INTERNAL_ERROR);
  await until(() => gone >= 1);

  const endless = await open("/endless");
  endless.opened.close(http2.constants.NGHTTP2_CANCEL);
  await until(() => gone >= 2);
  assert.equal((await ask(session, { ":path": "/health" })).status, 200);
  assert.equal(server.notes.filter(({ fields }) => fields["isCutShort"] === true).length, 2);
});

test("a body over HTTP/2 that arrives too slowly gets 408, and the connection goes on", async (t) => {
  const server = await startServer(t, { routes: [echo], settings: { requestTimeoutMs: 300 } });
  const session = await openSession(t, server);
  const slow = session.request({ ":method": "POST", ":path": "/echo", ...JSON_TYPE }, { endStream: false });
  slow.write("{");
  const answer = await readAnswer(slow);
  assert.equal(answer.status, 408);
  assert.equal((JSON.parse(answer.text) as { code: string }).code, "REQUEST_TIMEOUT");
  assert.equal((await ask(session, { ":path": "/health" })).status, 200);
});

test("a large body over HTTP/2 is not taken for a flood", async (t) => {
  const settings = { headersTimeoutMs: 1_000, bodyLimitBytes: 10_000_000 };
  const size = route("/size", ({ body }) => ({ length: (body as string).length }), "POST");
  const server = await startServer(t, { routes: [size], settings });
  const session = await openSession(t, server);
  const headers = { ":method": "POST", ":path": "/size", "content-type": "text/plain" };
  const answers = await Promise.all([1, 2, 3].map(() => ask(session, headers, "x".repeat(3_000_000))));
  assert.deepEqual(
    answers.map(({ text }) => text),
    Array.from({ length: 3 }, () => '{"length":3000000}'),
  );
});

test("HTTP/2 connections without a request are closed, also when they send frames", async (t) => {
  const server = await startServer(t, { settings: { headersTimeoutMs: 300 } });
  const session = await openSession(t, server);
  const ping = setInterval(() => !session.destroyed && session.ping(() => {}), 20);
  t.after(() => clearInterval(ping));
  const halfHeaders = await openRaw(server);
  halfHeaders.socket.write(frame(FRAME.headers, END_STREAM, 1, headerBlock("/health")));
  await Promise.all([once(session, "close"), halfHeaders.closed]);

  let offsetMs = 0;
  const { now } = performance;
  t.mock.method(performance, "now", () => now.call(performance) + offsetMs);
  const used = await openSession(t, server);
  await ask(used, { ":path": "/health" });
  offsetMs = 60_000;
  await ask(used, { ":path": "/health" });
  offsetMs += 80_000;
  await once(used, "close");
});

test("a stream over HTTP/2 that is not read is reset, and the others go on", async (t) => {
  const text = "x".repeat(60_000);
  const server = await startServer(t, {
    routes: [route("/text", (_request, reply) => reply.send(text))],
    settings: { requestTimeoutMs: 400 },
  });
  const session = await openSession(t, server, { settings: { initialWindowSize: 100 } });
  const unread = session.request({ ":path": "/text" });
  unread.on("error", () => {});
  await once(unread, "response");
  let offsetMs = 0;
  const { now } = performance;
  t.mock.method(performance, "now", () => now.call(performance) + offsetMs);
  assert.equal((await ask(session, { ":path": "/text" })).text, text);
  offsetMs = 40_000;
  await once(unread, "close");
  assert.equal(unread.rstCode, http2.constants.NGHTTP2_CANCEL);
  assert.equal((await ask(session, { ":path": "/health" })).status, 200);
  assert.ok(server.notes.some(({ fields }) => fields["path"] === "/text" && fields["isCutShort"] === true));
});

test("the requests of an HTTP/2 connection count as connections of its address", async (t) => {
  const gate = Promise.withResolvers<void>();
  const wait = route("/wait", async () => {
    await gate.promise;
    return {};
  });
  const server = await startServer(t, { routes: [wait], settings: { connectionsPerAddress: 4 } });
  const session = await openSession(t, server);
  const waiting = Array.from({ length: 3 }, () => ask(session, { ":path": "/wait" }));
  const rejected = await ask(session, { ":path": "/wait" });
  assert.equal(rejected.status, 429);
  assert.equal((JSON.parse(rejected.text) as { code: string }).code, "RATE_LIMITED");
  gate.resolve();
  assert.deepEqual(
    (await Promise.all(waiting)).map(({ status }) => status),
    [200, 200, 200],
  );
  assert.equal((await ask(session, { ":path": "/wait" })).status, 200);
});

test("close sends GOAWAY, waits for HTTP/2 requests in progress and closes their connections", async (t) => {
  const gate = Promise.withResolvers<void>();
  let entered = 0;
  const wait = route("/wait", async () => {
    entered += 1;
    await gate.promise;
    return { done: true };
  });
  const server = await startServer(t, { routes: [wait], settings: { stopTimeoutMs: 60_000 } });
  const [busy, idle] = [await openSession(t, server), await openSession(t, server)];
  const answer = ask(busy, { ":path": "/wait" });
  await until(() => entered >= 1);
  const goneAway = Promise.all([busy, idle].map((session) => once(session, "goaway")));
  const idleClosed = once(idle, "close");
  const stopping = server.server.close();
  assert.deepEqual(
    (await goneAway).map(([code]) => code as number),
    [0, 0],
  );
  await idleClosed;
  gate.resolve();
  assert.equal((await answer).text, '{"done":true}');
  await stopping;
});
