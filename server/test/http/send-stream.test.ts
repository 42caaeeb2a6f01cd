import assert from "node:assert/strict";
import { once } from "node:events";
import type { IncomingMessage } from "node:http";
import type { ClientHttp2Stream } from "node:http2";
import https from "node:https";
import type { Readable } from "node:stream";
import { type TestContext, test } from "node:test";
import { z } from "zod";
import type { FunctionCall, NamedFunction } from "../../src/functions/index.ts";
import { type AuthGuard, functionRoutes } from "../../src/http/index.ts";
import { type Limits, openLimits } from "../../src/limits/index.ts";
import { systemClock } from "../../src/time/index.ts";
import { countSendsHere } from "../limits/support/webhook-sends.ts";
import { silentObserver } from "../support/silent-observer.ts";
import { openSession } from "./support/http2-client.ts";
import { startServer } from "./support/test-server.ts";
import { until } from "../support/until.ts";

const HEADERS = { "content-type": "text/event-stream; charset=utf-8", "x-run-id": "run" };
const JSON_TYPE = { "content-type": "application/json" };
const SOMEBODY: AuthGuard = async () =>
  ({
    principal: { role: "authenticated", userId: "u", claims: {}, session: null },
    hasAuthorization: true,
  }) as unknown as Awaited<ReturnType<AuthGuard>>;

interface Stage {
  open(): Promise<IncomingMessage>;
  openHttp2(): Promise<ClientHttp2Stream>;
}

async function serve(t: TestContext, run: (call: FunctionCall) => AsyncIterable<string>): Promise<Stage> {
  const limits: Limits = openLimits({
    settings: { limitApi: 50, limitAuth: 0, limitAi: 7, limitTools: 0, limitWebhooks: 0 },
    store: null,
    countWebhookSend: countSendsHere(0),
    clock: systemClock,
    observer: silentObserver,
  });
  const fn: NamedFunction = {
    name: "talk",
    access: "account",
    limit: "api",
    body: z.unknown(),
    run: async (call) => {
      await call.count("ai", "user:u");
      return { status: 200, headers: HEADERS, stream: run(call) };
    },
  };
  const routes = functionRoutes({ functions: [fn], limits });
  const server = await startServer(t, { routes, guard: SOMEBODY, limits });
  const { port, ca } = server;
  return {
    openHttp2: async () => {
      const session = await openSession(t, server);
      const stream = session.request({ ":method": "POST", ":path": "/functions/v1/talk", ...JSON_TYPE });
      stream.end("{}");
      await once(stream, "response");
      return stream;
    },
    open: async () => {
      const target = { host: "127.0.0.1", port, ca, agent: false, path: "/functions/v1/talk", method: "POST" };
      const request = https.request({ ...target, headers: JSON_TYPE });
      request.end("{}");
      const [response] = (await once(request, "response")) as [IncomingMessage];
      return response;
    },
  };
}

test("a stream sends its headers first, and each chunk before the next is produced", async (t) => {
  const resolvers = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const { open } = await serve(t, async function* () {
    await resolvers[0]?.promise;
    yield "one";
    await resolvers[1]?.promise;
    yield "two";
  });
  const response = await open();
  assert.equal(response.statusCode, 200);
  assert.deepEqual([response.headers["content-type"], response.headers["x-run-id"]], Object.values(HEADERS));
  assert.equal(response.headers["access-control-allow-origin"], "*");
  assert.ok(response.headers["x-request-id"] !== undefined);
  assert.equal(response.headers["x-ratelimit-remaining"], "6", "the row with the least left");
  const chunks: string[] = [];
  response.on("data", (chunk: Buffer) => chunks.push(chunk.toString()));
  resolvers[0]?.resolve();
  await until(() => chunks.join("") === "one");
  resolvers[1]?.resolve();
  await once(response, "end");
  assert.equal(chunks.join(""), "onetwo");
});

test("a stream applies backpressure to a slow reader and notices one who leaves", async (t) => {
  let made = 0;
  let isLeft = false;
  let isEnded = false;
  const { open } = await serve(t, async function* ({ signal }) {
    signal.addEventListener("abort", () => {
      isLeft = true;
    });
    try {
      for (; made < 2_000; made += 1) yield "x".repeat(100_000);
    } finally {
      isEnded = true;
    }
  });
  const response = await open();
  response.pause();
  let before = -1;
  // The producer stops once the socket buffers of both sides are full.
  await until(() => {
    const isStill = made === before && made > 0;
    before = made;
    return isStill;
  });
  assert.ok(made < 1_000, `${made} pieces`);
  response.destroy();
  await until(() => isLeft && isEnded);
  assert.ok(made < 1_000);
});

test("a stream that fails in the middle closes the connection", async (t) => {
  const outage = Promise.withResolvers<void>();
  const { open } = await serve(t, async function* () {
    yield "one";
    await outage.promise;
    throw new Error("the database went away");
  });
  const response = await open();
  const chunks: string[] = [];
  response.on("data", (chunk: Buffer) => chunks.push(chunk.toString()));
  await until(() => chunks.join("") === "one");
  outage.resolve();
  await assert.rejects(once(response, "end"), { code: "ECONNRESET" });
  assert.deepEqual([chunks.join(""), response.complete], ["one", false]);
});

for (const protocol of ["HTTP/1.1", "HTTP/2"])
  test(`a reader over ${protocol} slower than 16 KiB/s for thirty seconds is cut`, async (t) => {
    let made = 0;
    let isEnded = false;
    const turn = () => new Promise((resolve) => setImmediate(resolve));
    const { open, openHttp2 } = await serve(t, async function* () {
      try {
        for (;;) {
          made += 1;
          yield "x".repeat(100_000);
        }
      } finally {
        isEnded = true;
      }
    });
    t.mock.timers.enable({ apis: ["setTimeout", "Date"], now: Date.now() });
    const response: Readable = protocol === "HTTP/2" ? await openHttp2() : await open();
    let received = 0;
    response.on("data", (chunk: Buffer) => {
      received += chunk.length;
    });
    response.on("error", () => {});
    /** Reads until this much has arrived, then waits until the producer has stopped. */
    const read = async (bytes: number): Promise<void> => {
      const end = received + bytes;
      response.resume();
      while (received < end) await turn();
      response.pause();
      for (let [before, still] = [-1, 0]; still < 200; still = made === before ? still + 1 : 0) {
        before = made;
        await turn();
      }
    };
    await read(1);
    for (let period = 0; period < 3; period += 1) {
      await read(4_000_000);
      t.mock.timers.tick(30_000);
      await turn();
    }
    assert.equal(isEnded, false, "a reader of enough bytes is kept");
    for (let turns = 0; !isEnded && turns < 10_000; turns += 1) {
      t.mock.timers.tick(30_000);
      await turn();
    }
    assert.ok(isEnded, "a reader of nothing is cut");
    await assert.rejects(once(response.resume(), "end"));
  });
