import assert from "node:assert/strict";
import { once } from "node:events";
import type net from "node:net";
import { test } from "node:test";
import { bodyOf, exchange, readToEnd, route, startServer } from "../http/support/test-server.ts";
import { WAIT_MS } from "../support/wait-limit.ts";
import { until } from "../support/until.ts";

const TLS_HANDSHAKE = 0x16;
const HEALTH = "GET /health HTTP/1.1\r\nHost: x\r\n\r\n";

/** Sends the bytes and then one byte again and again, until the connection is closed. */
async function drip(socket: net.Socket, start: string | Buffer, byte: string): Promise<string> {
  const timer = setInterval(() => socket.write(byte), 20);
  return exchange(socket, start).finally(() => clearInterval(timer));
}

/** A route whose answers wait until they are released. */
function heldRoute() {
  const waiting: (() => void)[] = [];
  return {
    route: route("/held", async () => {
      await new Promise<void>((resolve) => waiting.push(resolve));
      return { done: true };
    }),
    waiting,
    release: () => {
      for (const resolve of waiting.splice(0)) resolve();
    },
  };
}

async function answerOn(socket: net.Socket, request: string): Promise<string> {
  socket.write(request);
  const [chunk] = (await once(socket, "data")) as [Buffer];
  return chunk.toString();
}

function closed(socket: net.Socket): Promise<unknown> {
  socket.on("error", () => {});
  socket.resume();
  return socket.closed ? Promise.resolve() : once(socket, "close");
}

test("peers that send a byte now and then are closed, in every phase of a connection", async (t) => {
  // Clients that finish their handshake have another server, so that a slow machine does not fail them.
  const { connectPlain } = await startServer(t, { settings: { handshakeTimeoutMs: 300 } });
  const { connect } = await startServer(t, {
    routes: [route("/echo", ({ body }) => body ?? {}, "POST")],
    settings: { handshakeTimeoutMs: 60_000, headersTimeoutMs: 300, requestTimeoutMs: 300 },
  });
  const repeat = <T>(work: () => Promise<T>): Promise<T[]> => Promise.all(Array.from({ length: 20 }, work));
  const head = "POST /echo HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n";
  // The first record of a handshake, which announces 512 bytes.
  const record = Buffer.from([TLS_HANDSHAKE, 3, 1, 2, 0, 1, 0, 1, 252, 3, 3]);
  const [plain, handshakes, headers, sized, chunked] = await Promise.all([
    repeat(async () => drip(await connectPlain(), "G", "E")),
    repeat(async () => drip(await connectPlain(), record, "\0")),
    repeat(async () => drip(await connect(), "GET /health HTTP/1.1\r\nX-Slow: ", "x")),
    repeat(async () => drip(await connect(), `${head}Content-Length: 60000\r\n\r\n"`, "x")),
    repeat(async () => drip(await connect(), `${head}Transfer-Encoding: chunked\r\n\r\nffff\r\n"`, "x")),
  ]);
  assert.ok(plain.every((answer) => answer === ""));
  assert.equal(handshakes.length, 20);
  for (const answer of [...headers, ...sized, ...chunked]) assert.match(answer, /^HTTP\/1.1 408 /);
});

test("a burst of clients that leave during their handshake harms nobody", async (t) => {
  const { connect, connectPlain } = await startServer(t);
  const leave = async (): Promise<void> => {
    const socket = await connectPlain();
    socket.on("error", () => {});
    socket.write(Buffer.from([TLS_HANDSHAKE]), () => socket.resetAndDestroy());
    await once(socket, "close");
  };
  await Promise.all(Array.from({ length: 50 }, leave));
  assert.match(await answerOn(await connect(), HEALTH), /^HTTP\/1.1 200 /);
});

test("a large body that arrives at an honest pace is accepted after the timeout of a request", async (t) => {
  const { connect } = await startServer(t, {
    routes: [route("/echo", ({ body }) => ({ length: String(body).length }), "POST")],
    settings: { requestTimeoutMs: 500, bodyLimitBytes: 1_048_576 },
  });
  const socket = await connect();
  const answer = readToEnd(socket);
  const chunk = "x".repeat(32 * 1024);
  socket.write(`POST /echo HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nConnection: close\r\n`);
  socket.write(`Content-Length: ${8 * chunk.length + 2}\r\n\r\n"`);
  for (let sent = 0; sent < 8; sent += 1) {
    socket.write(chunk);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  socket.write('"');
  assert.match(await answer, /^HTTP\/1.1 200 /);
});

for (const limit of ["connectionsPerAddress", "connectionsPerNode"] as const) {
  test(`at ${limit} the longest idle connection is closed first, and never one that is in use`, async (t) => {
    const held = heldRoute();
    const { connect, connectPlain } = await startServer(t, {
      routes: [held.route],
      settings: { [limit]: 3 },
      onUpgrade: (_request, socket) => {
        socket.write("HTTP/1.1 101 Switching Protocols\r\n\r\n");
        socket.on("data", (chunk) => socket.write(chunk));
        socket.on("error", () => {});
      },
    });
    const upgraded = await connect();
    const upgrade = "GET /socket HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n";
    assert.match(await answerOn(upgraded, upgrade), /^HTTP\/1.1 101 /);
    const busy = await connect();
    const answered = answerOn(busy, "GET /held HTTP/1.1\r\nHost: x\r\n\r\n");
    await until(() => held.waiting.length >= 1);

    const idle = await connect();
    assert.match(await answerOn(idle, HEALTH), /^HTTP\/1.1 200 /);
    const silent = await connectPlain();
    await closed(idle);
    const next = await connect();
    await closed(silent);
    const nextAnswer = answerOn(next, "GET /held HTTP/1.1\r\nHost: x\r\n\r\n");
    await until(() => held.waiting.length >= 2);
    await closed(await connectPlain());

    held.release();
    assert.match(await answered, /^HTTP\/1.1 200 /);
    assert.match(await nextAnswer, /^HTTP\/1.1 200 /);
    assert.equal(await answerOn(upgraded, "still there"), "still there");
    for (const socket of [upgraded, busy, next]) socket.destroy();
    // Once the service has noticed, the three no longer count.
    const later: net.Socket[] = [];
    for (const deadline = Date.now() + WAIT_MS; later.length < 3; ) {
      const socket = await connect().catch(() => null);
      const answer = socket === null ? "" : await answerOn(socket, upgrade).catch(() => "");
      if (socket !== null && answer.startsWith("HTTP/1.1 101 ")) later.push(socket);
      assert.ok(Date.now() < deadline, "closed connections still count");
    }
    for (const socket of later) socket.destroy();
  });
}

test("connections of a trusted proxy are exempt, and the requests of each forwarded address are limited", async (t) => {
  const held = heldRoute();
  const { connectPlain, request } = await startServer(t, {
    routes: [held.route],
    settings: { tlsMode: "proxy", trustedProxies: ["127.0.0.1"], connectionsPerAddress: 2 },
  });
  const sockets = await Promise.all(Array.from({ length: 5 }, () => connectPlain()));
  const ask = (path: string, address: string) =>
    request(path, { headers: { "x-forwarded-proto": "https", "x-forwarded-for": address } });
  const answers = [ask("/held", "203.0.113.7"), ask("/held", "203.0.113.7")];
  await until(() => held.waiting.length >= 2);
  const { status, headers, json } = await ask("/health", "203.0.113.7");
  assert.deepEqual([status, json["code"], headers["retry-after"]], [429, "RATE_LIMITED", "5"]);
  assert.equal((await ask("/health", "203.0.113.8")).status, 200);
  held.release();
  for (const answer of await Promise.all(answers)) assert.equal(answer.status, 200);
  assert.equal((await ask("/health", "203.0.113.7")).status, 200);
  for (const socket of sockets) {
    assert.equal(socket.closed, false);
    socket.destroy();
  }
});

test("a request with two Host headers is rejected with 400", async (t) => {
  const { connect } = await startServer(t, { onUpgrade: (_request, socket) => socket.end("upgraded") });
  const upgrade = "Connection: Upgrade\r\nUpgrade: websocket\r\n";
  for (const hosts of ["Host: a\r\nHost: b\r\n", "host: a\r\nHOST: a\r\n", `Host: a\r\n${upgrade}Host: a\r\n`]) {
    const answer = await exchange(await connect(), `GET /health HTTP/1.1\r\n${hosts}\r\n`);
    assert.match(answer, /^HTTP\/1.1 400 /);
    assert.equal(bodyOf(answer)["code"], "BAD_REQUEST");
  }
});
