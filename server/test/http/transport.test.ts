import assert from "node:assert/strict";
import { once } from "node:events";
import net from "node:net";
import { type TestContext, test } from "node:test";
import tls from "node:tls";
import { setImmediate as nextTurn } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import fc from "fast-check";
import { bodyOf, exchange, readToEnd, route, startServer } from "./support/test-server.ts";
import { until } from "../support/until.ts";

const TLS_HANDSHAKE = 0x16;
/** A stop timeout that is never reached. */
const NO_DEADLINE = { stopTimeoutMs: 60_000 };

test("the local authority's certificate is enough to trust localhost, 127.0.0.1 and nothing else", async (t) => {
  const { port, ca } = await startServer(t);
  const connect = (options: tls.ConnectionOptions) =>
    new Promise<tls.TLSSocket>((resolve, reject) => {
      const socket = tls.connect({ host: "127.0.0.1", port, ca, ...options }, () => resolve(socket));
      socket.on("error", reject);
      t.after(() => socket.destroy());
    });
  assert.ok((await connect({ servername: "localhost" })).authorized);
  assert.ok((await connect({})).authorized);
  await assert.rejects(connect({ servername: "example.com" }), { code: "ERR_TLS_CERT_ALTNAME_INVALID" });
  await assert.rejects(connect({ ca: [] }));
});

test("accepts a TLS handshake that arrives byte by byte", async (t) => {
  const { port, ca } = await startServer(t);
  const proxy = net.createServer((client) => {
    const server = net.connect({ host: "127.0.0.1", port, noDelay: true });
    server.on("error", () => client.destroy());
    client.on("error", () => server.destroy());
    server.pipe(client);
    const dribble = async () => {
      for await (const chunk of client as AsyncIterable<Buffer>) {
        for (const byte of chunk.subarray(0, 20)) {
          server.write(Buffer.from([byte]));
          await new Promise((resolve) => setTimeout(resolve, 1));
        }
        server.write(chunk.subarray(20));
      }
    };
    dribble().catch(() => server.destroy());
  });
  proxy.listen(0, "127.0.0.1");
  await once(proxy, "listening");
  t.after(() => proxy.close());
  const socket = tls.connect({ host: "127.0.0.1", port: (proxy.address() as net.AddressInfo).port, ca });
  await once(socket, "secureConnect");
  const answer = await exchange(socket, "GET /health HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
  assert.match(answer, /^HTTP\/1.1 200 /);
});

test("accepts TLS 1.2 and 1.3, and HTTP/2 from clients that offer it", async (t) => {
  const { port, ca } = await startServer(t);
  const handshake = (options: tls.ConnectionOptions) =>
    new Promise<string>((resolve, reject) => {
      const socket = tls.connect({ host: "127.0.0.1", port, ca, ...options }, () => {
        resolve(`${socket.getProtocol()} ${socket.alpnProtocol}`);
        socket.destroy();
      });
      socket.on("error", reject);
    });
  assert.equal(await handshake({ ALPNProtocols: ["http/1.1", "h2"] }), "TLSv1.3 h2");
  assert.equal(await handshake({ ALPNProtocols: ["http/1.1"] }), "TLSv1.3 http/1.1");
  assert.equal(await handshake({ maxVersion: "TLSv1.2" }), "TLSv1.2 false");
  await assert.rejects(handshake({ ALPNProtocols: ["spdy/3"] }));
  const old = { minVersion: "TLSv1.1", maxVersion: "TLSv1.1", ciphers: "DEFAULT@SECLEVEL=0" } as const;
  await assert.rejects(handshake(old));
});

test("an idle connection keeps no slab of pooled buffers alive", async (t) => {
  const { port, ca } = await startServer(t, { settings: { handshakeTimeoutMs: 60_000, headersTimeoutMs: 60_000 } });
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as () => void;
  const currentSlab = (): ArrayBufferLike => Buffer.allocUnsafe(1).buffer;
  const sockets: tls.TLSSocket[] = [];
  const slabs: WeakRef<ArrayBufferLike>[] = [];
  for (let number = 0; number < 32; number += 1) {
    slabs.push(new WeakRef(currentSlab()));
    const socket = tls.connect({ host: "127.0.0.1", port, ca });
    sockets.push(socket);
    await once(socket, "secureConnect");
    // Fills the slab as a busy service would, so that the next connection uses another one.
    while (slabs.at(-1)?.deref() === currentSlab()) Buffer.allocUnsafe(Buffer.poolSize / 4);
  }
  await nextTurn();
  collect();
  const held = slabs.filter((slab) => slab.deref() !== undefined).length;
  assert.ok(sockets.every(({ readyState }) => readyState === "open"));
  for (const socket of sockets) socket.destroy();
  assert.ok(held < 8, `${held} of 32 slabs are held`);
});

test("a plain HTTP request on the same port is answered 426 and closed", async (t) => {
  const { connectPlain, request, notes } = await startServer(t);
  const requests = [
    "GET /health HTTP/1.1\r\nHost: x\r\n\r\n",
    `POST /rest/v1/agents HTTP/1.1\r\nHost: x\r\nContent-Length: 1000000\r\n\r\n${"x".repeat(1_000_000)}`,
    "OPTIONS / HTTP/1.1\r\nHost: x\r\nOrigin: https://app.example\r\n\r\n",
    "GET / HTTP/1.0\r\n\r\n",
    "get malformed\r\n",
    "\r\nGET / HTTP/1.1\r\n\r\n",
    "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
    "x".repeat(20_000),
  ];
  for (const bytes of requests) {
    const answer = await exchange(await connectPlain(), bytes);
    assert.match(answer, /^HTTP\/1.1 426 Upgrade Required\r\n/, bytes.slice(0, 40));
    assert.match(answer, /\r\nupgrade: TLS\/1.2, HTTP\/1.1\r\n/);
    assert.match(answer, /\r\nconnection: .*close\r\n/);
    assert.match(answer, /\r\naccess-control-allow-origin: \*\r\n/);
    assert.match(answer, /\r\nx-request-id: [0-9a-f-]{36}\r\n/);
    const body = bodyOf(answer);
    assert.equal(body["code"], "HTTPS_REQUIRED");
    assert.deepEqual(Object.keys(body).sort(), ["code", "details", "error", "hint", "message"]);
  }
  const head = await exchange(await connectPlain(), "HEAD / HTTP/1.1\r\nHost: x\r\n\r\n");
  assert.match(head, /^HTTP\/1.1 426 [^]*\r\n\r\n$/);
  const slow = await connectPlain();
  const answer = readToEnd(slow);
  for (const part of ["G", "ET /", " HTTP/1.1\r\n"]) {
    slow.write(part);
    await new Promise((resolve) => setImmediate(resolve));
  }
  assert.match(await answer, /^HTTP\/1.1 426 /);
  assert.equal((await request("/health")).status, 200);
  assert.ok(notes.some(({ name }) => name === "http.plain_refused"));
});

test("closes connections with garbage and continues to serve", async (t) => {
  const { connectPlain, request, notes } = await startServer(t);
  const send = async (bytes: Uint8Array) => {
    const socket = await connectPlain();
    const ended = readToEnd(socket);
    socket.end(bytes);
    await ended;
  };
  await send(Buffer.from([0, 1, 2, 3]));
  assert.ok(notes.some(({ name }) => name === "http.garbage"));
  await send(Buffer.from([TLS_HANDSHAKE, 3, 1, 0, 5, 1, 2, 3, 4, 5]));
  await until(() => notes.some(({ name }) => name === "http.handshake_failed"));

  await fc.assert(
    fc.asyncProperty(fc.uint8Array({ maxLength: 600 }), fc.boolean(), async (bytes, isTlsLike) => {
      await send(isTlsLike ? Buffer.concat([Buffer.from([TLS_HANDSHAKE, 3, 3]), bytes]) : bytes);
    }),
    { numRuns: 100 },
  );
  assert.equal((await request("/health")).status, 200);
});

test("closes TLS connections with random bytes and continues to serve", async (t) => {
  const { connect, request } = await startServer(t, { routes: [route("/x", (r) => r.body ?? {}, "POST")] });
  const piece = fc.oneof(
    fc.string({ maxLength: 80 }),
    fc.constantFrom("GET /health HTTP/1.1\r\n", "POST /x HTTP/1.1\r\n", "Host: x\r\n", "\r\n", "0\r\n\r\n"),
    fc.constantFrom("Content-Length: 5\r\n", "Transfer-Encoding: chunked\r\n", "Content-Type: application/json\r\n"),
    fc.uint8Array({ maxLength: 80 }).map((bytes) => Buffer.from(bytes).toString("latin1")),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(piece, { maxLength: 12 }), async (pieces) => {
      const socket = await connect();
      const ended = readToEnd(socket);
      socket.end(Buffer.from(pieces.join(""), "latin1"));
      const answer = await ended;
      assert.ok(answer === "" || answer.startsWith("HTTP/1.1 "), answer.slice(0, 80));
    }),
    { numRuns: 150 },
  );
  assert.equal((await request("/health")).status, 200);
});

test("clients that send nothing or too slowly are closed", async (t) => {
  const echo = route("/echo", (request) => request.body ?? {}, "POST");
  const { connect, connectPlain, request } = await startServer(t, {
    routes: [echo],
    settings: { handshakeTimeoutMs: 1_000, headersTimeoutMs: 1_000, requestTimeoutMs: 1_000 },
  });
  const startedMs = performance.now();

  const silent = readToEnd(await connectPlain());
  const halfLine = exchange(await connectPlain(), "GET / HT");
  const halfHandshake = exchange(await connectPlain(), Buffer.from([TLS_HANDSHAKE, 3, 1, 2, 0, 1]));
  const silentInTls = readToEnd(await connect());
  const halfHeaders = exchange(await connect(), "GET /health HTTP/1.1\r\nHost: x\r\nX-Slow: ");
  const halfBody = exchange(
    await connect(),
    "POST /echo HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 9\r\n\r\n{",
  );
  const dripping = await connect();
  const drip = setInterval(() => dripping.write("X-A: b\r\n"), 20);
  const dripped = exchange(dripping, "GET /health HTTP/1.1\r\nHost: x\r\n").finally(() => clearInterval(drip));

  assert.equal(await silent, "");
  assert.equal(await halfLine, "");
  await halfHandshake;
  for (const answer of [await silentInTls, await halfHeaders, await halfBody, await dripped]) {
    assert.match(answer, /^HTTP\/1.1 408 Request Timeout\r\n/);
    assert.equal(bodyOf(answer)["code"], "REQUEST_TIMEOUT");
    assert.match(answer, /access-control-allow-origin: \*/);
  }
  assert.ok(performance.now() - startedMs < 30_000, `${performance.now() - startedMs} ms`);
  assert.equal((await request("/health")).status, 200);
});

test("a slow handler does not count as a slow client", async (t) => {
  const slow = route("/slow", async () => {
    await new Promise((resolve) => setTimeout(resolve, 1_800));
    return { done: true };
  });
  const { request } = await startServer(t, { routes: [slow], settings: { requestTimeoutMs: 1_000 } });
  assert.deepEqual((await request("/slow")).json, { done: true });
});

test("close waits for requests in progress, closes idle connections and accepts no new ones", async (t) => {
  const guard = Promise.withResolvers<void>();
  const entered = Promise.withResolvers<void>();
  const routes = [
    route("/slow", async () => {
      entered.resolve();
      await guard.promise;
      return { done: true };
    }),
    route("/stream", (_request, reply) => {
      reply.hijack();
      reply.raw.write("begun ");
      void guard.promise.then(() => reply.raw.end("ended"));
    }),
  ];
  const { server, connect, connectPlain, port } = await startServer(t, { routes, settings: NO_DEADLINE });
  const idle = await connect();
  idle.write("GET /health HTTP/1.1\r\nHost: x\r\n\r\n");
  await once(idle, "data");
  const unused = await connect();
  const silent = await connectPlain();
  const streaming = await connect();
  const streamed = exchange(streaming, "GET /stream HTTP/1.1\r\nHost: x\r\n\r\n");
  await once(streaming, "data");
  const busy = await connect();
  const answer = exchange(busy, "GET /slow HTTP/1.1\r\nHost: x\r\n\r\n");
  await entered.promise;

  let isClosed = false;
  const closed = server.close().then(() => {
    isClosed = true;
  });
  assert.equal(server.close(), server.close());
  await Promise.all([readToEnd(idle), readToEnd(unused), readToEnd(silent)]);
  const late = net.connect({ host: "127.0.0.1", port });
  const [rejection] = (await once(late, "error")) as [NodeJS.ErrnoException];
  assert.equal(rejection.code, "ECONNREFUSED");
  assert.equal(isClosed, false);

  guard.resolve();
  assert.match(await answer, /^HTTP\/1.1 200 [^]*connection: close\r\n[^]*\{"done":true\}$/i);
  assert.match(await streamed, /begun [^]*ended/);
  await closed;
});

test("close does not cut responses that are still being sent", async (t) => {
  const bytes = 8 * 1024 * 1024;
  const routes = [route("/large", (_request, reply) => reply.send("x".repeat(bytes)))];
  const { server, connect } = await startServer(t, { routes, settings: NO_DEADLINE });
  const socket = await connect();
  socket.write("GET /large HTTP/1.1\r\nHost: x\r\n\r\n");
  const [head] = (await once(socket, "data")) as [Buffer];
  socket.pause();
  const closed = server.close();
  let received = head.length;
  socket.on("data", (piece: Buffer) => {
    received += piece.length;
  });
  socket.resume();
  await Promise.all([closed, once(socket, "close")]);
  assert.ok(received > bytes, `${received} bytes`);
});

test("close cuts requests that do not finish in time", async (t) => {
  const entered = Promise.withResolvers<void>();
  const routes = [
    route("/never", () => {
      entered.resolve();
      return new Promise(() => {});
    }),
  ];
  const { server, connect, notes } = await startServer(t, { routes, settings: { stopTimeoutMs: 100 } });
  const answer = exchange(await connect(), "GET /never HTTP/1.1\r\nHost: x\r\n\r\n");
  await entered.promise;
  await server.close();
  assert.equal(await answer, "");
  assert.deepEqual(notes.find(({ name }) => name === "http.stop_forced")?.fields, { connections: 1, requests: 1 });
});

test("close does not wait for clients that have left during the handshake, before or after a worker got the connection", async (t) => {
  const acceptor = net.createServer().listen(0, "127.0.0.1");
  await once(acceptor, "listening");
  t.after(() => acceptor.close());
  const { port } = acceptor.address() as net.AddressInfo;
  const { server, notes } = await startServer(t, {
    settings: { ...NO_DEADLINE, handshakeTimeoutMs: 600_000 },
    source: {
      port,
      open: (onConnection) => void acceptor.on("connection", onConnection),
      release: () => {},
      admitRequest: async () => true,
      releaseRequest: () => {},
    },
  });
  const hello = await captureHello(t);
  const leave = [
    (socket: net.Socket) => void socket.end(hello),
    (socket: net.Socket) => void socket.write(hello, () => socket.resetAndDestroy()),
    (socket: net.Socket) => void socket.once("data", () => socket.end()).write(hello),
    (socket: net.Socket) => void socket.once("data", () => socket.resetAndDestroy()).write(hello),
  ];
  // Several at a time, so that some wait for their turn.
  const acts = leave.flatMap((act) => [act, act, act]);
  const sockets = acts.map(() => net.connect({ host: "127.0.0.1", port }));
  const closed = sockets.map((socket) => {
    socket.on("error", () => {}).resume();
    return new Promise((resolve) => socket.once("close", resolve));
  });
  for (const [at, act] of acts.entries()) act(sockets[at] as net.Socket);
  await Promise.all(closed);
  await server.close();
  assert.deepEqual(
    notes.filter(({ name }) => name === "http.stop_forced"),
    [],
  );
});

/** The first flight of a TLS client. */
async function captureHello(t: TestContext): Promise<Buffer> {
  const listener = net.createServer().listen(0, "127.0.0.1");
  await once(listener, "listening");
  const { port } = listener.address() as net.AddressInfo;
  const accepted = once(listener, "connection") as Promise<[net.Socket]>;
  const client = tls.connect({ host: "127.0.0.1", port });
  client.on("error", () => {});
  const [socket] = await accepted;
  const [hello] = (await once(socket, "data")) as [Buffer];
  t.after(() => listener.close());
  client.destroy();
  socket.destroy();
  return hello;
}

test("a port that cannot be bound is named in the error", async (t) => {
  const { port } = await startServer(t);
  await assert.rejects(startServer(t, { settings: { port } }), {
    message: new RegExp(`^Cannot listen on 127\\.0\\.0\\.1:${port}: the port is in use`),
  });
  await assert.rejects(
    startServer(t, { settings: { host: "192.0.2.1" } }),
    /Cannot listen on 192\.0\.2\.1:0: .*address/,
  );
});
