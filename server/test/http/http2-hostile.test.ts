import assert from "node:assert/strict";
import { once } from "node:events";
import type { ClientHttp2Session } from "node:http2";
import { test } from "node:test";
import fc from "fast-check";
import {
  ask,
  END_HEADERS,
  END_STREAM,
  FRAME,
  frame,
  headerBlock,
  openRaw,
  openSession,
  type RawConnection,
  uint32,
} from "./support/http2-client.ts";
import { route, startServer, type TestServer } from "./support/test-server.ts";
import { until } from "../support/until.ts";

const INITIAL_WINDOW_SIZE = Buffer.from([0, 4]);
const NO_WINDOW = Buffer.concat([INITIAL_WINDOW_SIZE, uint32(0)]);
const GET = headerBlock("/work");

/** Deadlines are checked four times in the shortest one. */
const OFTEN_CHECKED = { requestTimeoutMs: 400 };

/** Writes until everything is sent or the server has closed the connection. */
async function flood(
  { socket, closed }: RawConnection,
  count: number,
  piece: (number: number) => Buffer,
): Promise<void> {
  for (let number = 0; number < count && !socket.destroyed; number += 1)
    if (!socket.write(piece(number))) await Promise.race([once(socket, "drain").catch(() => {}), closed]);
}

/** A new connection and an old one both get responses. */
async function assertServes({ request, notes }: TestServer, session: ClientHttp2Session): Promise<void> {
  assert.equal((await request("/health")).status, 200);
  assert.equal((await ask(session, { ":path": "/health" })).status, 200);
  assert.ok(!notes.some(({ name }) => name === "request.failed"));
}

test("floods of HTTP/2 frames close their connection, and others are served", async (t) => {
  let started = 0;
  const work = route("/work", () => {
    started += 1;
    return new Promise(() => {});
  });
  const server = await startServer(t, { routes: [work], settings: { stopTimeoutMs: 100, ...OFTEN_CHECKED } });
  const bystander = await openSession(t, server);
  const open = (settings?: Buffer) => openRaw(server, settings);

  const rapidReset = await open();
  const reset = frame(FRAME.reset, 0, 1, uint32(8)).subarray(9);
  const attacked = flood(rapidReset, 20_000, (number) => {
    const id = number * 2 + 1;
    return Buffer.concat([frame(FRAME.headers, END_STREAM | END_HEADERS, id, GET), frame(FRAME.reset, 0, id, reset)]);
  });
  await assertServes(server, bystander);
  await attacked;
  await rapidReset.closed;
  assert.ok(started < 1_000, `${started} requests were started`);

  // Each of these requests also expects an interim response.
  const expecting = await open();
  const expectant = headerBlock("/work", [["expect", "100-continue"]]);
  expecting.socket.write(
    Buffer.concat(
      Array.from({ length: 300 }, (_, number) => {
        const id = number * 2 + 1;
        return [frame(FRAME.headers, END_HEADERS, id, expectant), frame(FRAME.reset, 0, id, reset)];
      }).flat(),
    ),
  );
  await expecting.closed;

  // The server resets the streams itself, because the window cannot grow by zero.
  const madeReset = await open();
  started = 0;
  await flood(madeReset, 20_000, (number) => {
    const id = number * 2 + 1;
    return Buffer.concat([
      frame(FRAME.headers, END_STREAM | END_HEADERS, id, GET),
      frame(FRAME.windowUpdate, 0, id, uint32(0)),
    ]);
  });
  await madeReset.closed;
  assert.ok(started < 1_000, `${started} requests were started`);

  const continuation = await open();
  continuation.socket.write(frame(FRAME.headers, END_STREAM, 1, GET));
  const field = headerBlock("/", [["x", "y".repeat(100)]]).subarray(-104);
  await flood(continuation, 20_000, () => frame(FRAME.continuation, 0, 1, field));
  await continuation.closed;

  const manyHeaders = await open();
  const fields = Array.from({ length: 10_000 }, (_, number) => [`x-${number}`, "1"] as const);
  const block = headerBlock("/work", fields);
  const parts = Array.from({ length: Math.ceil(block.length / 16_000) }, (_, part) =>
    block.subarray(part * 16_000, (part + 1) * 16_000),
  );
  started = 0;
  for (const [at, part] of parts.entries()) {
    const flags = (at === 0 ? END_STREAM : 0) | (at === parts.length - 1 ? END_HEADERS : 0);
    manyHeaders.socket.write(frame(at === 0 ? FRAME.headers : FRAME.continuation, flags, 1, part));
  }
  await until(() => manyHeaders.socket.destroyed || manyHeaders.frames.some(({ type }) => type === FRAME.reset));
  assert.equal(started, 0);
  manyHeaders.socket.destroy();

  // Many references to one long header of the table: a small block, a large list.
  const bomb = await open();
  const [name, value] = ["a", "b".repeat(120)];
  const entry = Buffer.concat([
    Buffer.from([0x40, 1]),
    Buffer.from(name),
    Buffer.from([value.length]),
    Buffer.from(value),
  ]);
  const references = Buffer.alloc(10_000, 0xbe);
  bomb.socket.write(frame(FRAME.headers, END_STREAM | END_HEADERS, 1, Buffer.concat([GET, entry, references])));
  await until(() => bomb.socket.destroyed || bomb.frames.some(({ type }) => type === FRAME.reset));
  assert.equal(started, 0);
  bomb.socket.destroy();
  await assertServes(server, bystander);

  for (const [type, payload] of [
    [FRAME.settings, Buffer.concat([INITIAL_WINDOW_SIZE, uint32(1)])],
    [FRAME.ping, Buffer.alloc(8)],
    [FRAME.windowUpdate, uint32(1)],
  ] as const) {
    const flooding = await open();
    const sent = flood(flooding, Number.POSITIVE_INFINITY, () => frame(type, 0, 0, payload));
    await assertServes(server, bystander);
    await sent;
    await flooding.closed;
  }
  await assertServes(server, bystander);
  assert.ok(server.notes.filter(({ name }) => name === "http.session_failed").length >= 6);
});

test("clients that open no window hold a bounded number of responses", async (t) => {
  const piece = "x".repeat(50_000);
  let made = 0;
  let open = 0;
  const large = route("/work", (_request, reply) => {
    made += 1;
    open += 1;
    reply.raw.once("close", () => (open -= 1));
    return reply.send(piece);
  });
  const server = await startServer(t, { routes: [large], settings: OFTEN_CHECKED });
  const bystander = await openSession(t, server);
  const attackers = await Promise.all(Array.from({ length: 4 }, () => openRaw(server, NO_WINDOW)));
  for (const attacker of attackers)
    for (let number = 0; number < 300; number += 1)
      attacker.socket.write(frame(FRAME.headers, END_STREAM | END_HEADERS, number * 2 + 1, GET));
  await until(() => attackers.every(({ socket, frames }) => socket.destroyed || frames.length >= 300));
  assert.ok(open <= 400, `${open} responses are held`);
  assert.ok(made <= 400, `${made} responses were made`);
  await assertServes(server, bystander);
  let offsetMs = 0;
  const { now } = performance;
  t.mock.method(performance, "now", () => now.call(performance) + offsetMs);
  offsetMs = 45_000;
  await until(() => open === 0);
  await assertServes(server, bystander);
});

test("a request whose packet also ends its connection or stream ends no process", async (t) => {
  const server = await startServer(t, { routes: [route("/work", () => ({}))] });
  const bystander = await openSession(t, server);
  for (const last of [
    frame(FRAME.data, 0, 0),
    frame(FRAME.reset, 0, 1, uint32(8)),
    frame(FRAME.windowUpdate, 0, 1, uint32(0)),
  ])
    for (const fields of [[], [["expect", "100-continue"]]] as const) {
      const { socket, closed } = await openRaw(server);
      socket.write(Buffer.concat([frame(FRAME.headers, END_HEADERS, 1, headerBlock("/work", fields)), last]));
      socket.end();
      await closed;
    }
  await assertServes(server, bystander);
});

test("random HTTP/2 frames end no process", async (t) => {
  const echo = route("/work", (request) => request.body ?? {}, "POST");
  const server = await startServer(t, { routes: [echo] });
  const bystander = await openSession(t, server);
  const anyFrame = fc
    .tuple(
      fc.integer({ min: 0, max: 12 }),
      fc.nat(255),
      fc.nat(7),
      fc.oneof(fc.uint8Array({ maxLength: 60 }), fc.constant(GET)),
    )
    .map(([type, flags, stream, payload]) => frame(type, flags, stream, Buffer.from(payload)));
  const requests = (count: number) =>
    Array.from({ length: count }, (_, number) => frame(FRAME.headers, END_HEADERS, number * 2 + 1, GET));
  await fc.assert(
    fc.asyncProperty(
      fc.array(anyFrame, { maxLength: 12 }),
      fc.nat(4),
      fc.boolean(),
      async (frames, count, isAbrupt) => {
        const { socket, closed } = await openRaw(server);
        socket.write(Buffer.concat([...requests(count), ...frames]));
        if (isAbrupt) setImmediate(() => socket.destroy());
        else socket.end();
        await closed;
      },
    ),
    { numRuns: 60 },
  );
  await assertServes(server, bystander);
});
