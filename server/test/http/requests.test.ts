import assert from "node:assert/strict";
import { once } from "node:events";
import { test } from "node:test";
import { loadSettings } from "../../src/config/index.ts";
import { AppError } from "../../src/errors/index.ts";
import { createHttpServer, type Obstacle, type Route, sendStream } from "../../src/http/index.ts";
import { OBSERVATIONS } from "../../src/observe/index.ts";
import { type Answer, bodyOf, exchange, readToEnd, route, startServer } from "./support/test-server.ts";
import { until } from "../support/until.ts";

const JSON_HEADERS = { "content-type": "application/json" };

function assertErrorBody(answer: Answer, status: number, code: string): void {
  assert.equal(answer.status, status, answer.text);
  assert.equal(answer.json["code"], code);
  for (const member of ["message", "details", "hint", "error"]) assert.ok(member in answer.json, member);
  assert.match(answer.headers["content-type"] ?? "", /^application\/json/);
  assert.equal(answer.headers["access-control-allow-origin"], "*");
  assert.match(answer.headers["access-control-expose-headers"] ?? "", /content-range.*x-relay-error/);
  assert.ok(answer.headers["x-request-id"]);
}

const echo = route("/echo", (request) => ({ body: request.body ?? null, type: typeof request.body }), "POST");

test("/health reports that the process is up, /ready whether requests can be served and why not", async (t) => {
  let obstacle: Obstacle | null = null;
  const { request } = await startServer(t, { findObstacle: async () => obstacle });
  const health = await request("/health");
  assert.equal(health.status, 200);
  assert.deepEqual(health.json, { status: "ok", version: "1.2.3" });
  assert.equal(health.headers["cache-control"], "no-store");
  assert.equal((await request("/ready")).status, 200);

  for (const [why, message] of [
    ["unreachable", "The database cannot be reached"],
    ["read_only", "The database takes no writes"],
    ["exhausted", "No connection to the database is free"],
    ["disk_full", "The disk of the database is full"],
    ["stopping", "The service is stopping"],
  ] as const) {
    obstacle = why;
    const rejected = await request("/ready");
    assertErrorBody(rejected, 503, "SERVICE_UNAVAILABLE");
    assert.equal(rejected.json["message"], message);
    assert.ok(Number(rejected.headers["retry-after"]) > 0);
    assert.equal(rejected.headers["cache-control"], "no-store");
    assert.equal((await request("/health")).status, 200);
  }
});

test("a readiness check that throws counts as not ready", async (t) => {
  const { request } = await startServer(t, { findObstacle: () => Promise.reject(new Error("no")) });
  assertErrorBody(await request("/ready"), 503, "SERVICE_UNAVAILABLE");
});

test("a valid request id is returned, any other is replaced", async (t) => {
  const { request } = await startServer(t);
  const idOf = async (given: string) =>
    (await request("/health", { headers: { "x-request-id": given } })).headers["x-request-id"];
  assert.equal(await idOf("abc-123_x.y"), "abc-123_x.y");
  assert.equal(await idOf("a".repeat(128)), "a".repeat(128));
  for (const bad of ["a".repeat(129), "a b", 'x"y', "<script>"]) {
    assert.match(String(await idOf(bad)), /^[0-9a-f]{8}-[0-9a-f-]{27}$/);
  }
});

test("a preflight succeeds on every path without a key, with the requested headers", async (t) => {
  const { request } = await startServer(t);
  for (const path of ["/health", "/rest/v1/agents", "/nowhere"]) {
    const answer = await request(path, {
      method: "OPTIONS",
      headers: {
        origin: "https://app.example",
        "access-control-request-method": "PATCH",
        "access-control-request-headers": "apikey, x-my-header",
      },
    });
    assert.equal(answer.status, 204);
    assert.equal(answer.text, "");
    assert.equal(answer.headers["access-control-allow-origin"], "*");
    assert.equal(answer.headers["access-control-allow-headers"], "apikey, x-my-header");
    assert.match(answer.headers["access-control-allow-methods"] ?? "", /PATCH/);
    assert.equal(answer.headers["access-control-max-age"], "86400");
  }
  const odd = await request("/", { method: "OPTIONS", headers: { "access-control-request-headers": "a;b" } });
  assert.match(odd.headers["access-control-allow-headers"] ?? "", /authorization, apikey/);
});

test("unknown paths, methods and functions return 404 or 405", async (t) => {
  const { request } = await startServer(t, { routes: [echo, route("/things/:id/*", () => ({}), "DELETE")] });
  assertErrorBody(await request("/nowhere?apikey=x"), 404, "NOT_FOUND");
  assertErrorBody(await request("/"), 404, "NOT_FOUND");
  assertErrorBody(await request("/functions/v1/"), 404, "NOT_FOUND");
  const unknown = await request("/functions/v1/nothing", { method: "POST", headers: JSON_HEADERS, body: "{" });
  assertErrorBody(unknown, 404, "FUNCTION_NOT_FOUND");
  assert.equal(unknown.headers["x-relay-error"], "true");

  const wrong = await request("/echo");
  assertErrorBody(wrong, 405, "METHOD_NOT_ALLOWED");
  assert.equal(wrong.headers.allow, "OPTIONS, POST");
  assert.equal((await request("/health", { method: "PUT" })).headers.allow, "GET, HEAD, OPTIONS");
  assertErrorBody(await request("/things/1/a/b", { method: "POST" }), 405, "METHOD_NOT_ALLOWED");
  assertErrorBody(await request("/things/1", { method: "POST" }), 404, "NOT_FOUND");
  assertErrorBody(await request("/health", { method: "PROPFIND" }), 405, "METHOD_NOT_ALLOWED");
  assertErrorBody(await request("/%zz"), 400, "BAD_REQUEST");
  assertErrorBody(await request(`/things/${"x".repeat(5_000)}/y`, { method: "DELETE" }), 404, "NOT_FOUND");
});

test("HEAD responds like GET without a body", async (t) => {
  const { request } = await startServer(t);
  const head = await request("/health", { method: "HEAD" });
  assert.equal(head.status, 200);
  assert.equal(head.text, "");
  assert.equal(head.headers["content-length"], String((await request("/health")).text.length));
  assert.equal((await request("/nowhere", { method: "HEAD" })).status, 404);
});

test("an explicit HEAD route takes precedence over the one derived from GET", async (t) => {
  const routes = [
    route("/x", () => ({ a: 1 })),
    route("/x", (_request, reply) => reply.header("x-own", "yes").send(), "HEAD"),
  ];
  const { request } = await startServer(t, { routes });
  assert.equal((await request("/x", { method: "HEAD" })).headers["x-own"], "yes");
});

test("parses bodies: JSON, empty, text and bytes", async (t) => {
  const { request } = await startServer(t, { routes: [echo] });
  const send = async (body: string | Buffer, type?: string) =>
    request("/echo", { method: "POST", body, headers: type === undefined ? {} : { "content-type": type } });

  for (const type of ["application/json", "application/json; charset=UTF-8", "application/vnd.pgrst.object+json"]) {
    assert.deepEqual((await send('{"a":"ü"}', type)).json["body"], { a: "ü" }, type);
  }
  assert.deepEqual((await send('{"a":1}')).json["code"], "UNSUPPORTED_MEDIA_TYPE");
  assert.equal((await send("", "application/json")).json["type"], "undefined");
  assert.equal((await send("")).json["type"], "undefined");
  assert.equal((await send("a,b\n1,2", "text/csv")).json["body"], "a,b\n1,2");
  assert.equal((await send("a=1", "application/x-www-form-urlencoded")).json["body"], "a=1");
  assert.deepEqual((await send(Buffer.from([1]), "application/octet-stream")).json["body"], {
    type: "Buffer",
    data: [1],
  });
  const deep = "[".repeat(30_000) + "]".repeat(30_000);
  assert.ok((await send(deep, "application/json")).status > 0);
});

test("7.2 a malformed body is a validation error", async (t) => {
  const { request } = await startServer(t, { routes: [echo] });
  const polluting = ['{"__proto__":{"admin":true}}', '{"a":{"constructor":{"prototype":{"x":1}}}}'];
  for (const body of ["{", "nonsense", '{"a":1}}', Buffer.from([0x22, 0xff, 0x22]), ...polluting]) {
    const answer = await request("/echo", { method: "POST", headers: JSON_HEADERS, body });
    assertErrorBody(answer, 400, "VALIDATION_ERROR");
    assert.equal(answer.json["data"], null);
    assert.equal((answer.json["error"] as Record<string, unknown>)["code"], "VALIDATION_ERROR");
  }
  assert.equal(({} as Record<string, unknown>)["admin"], undefined);
});

test("a raw route gets the bytes of the body, whatever the content type", async (t) => {
  const raw: Route = {
    ...echo,
    path: "/raw",
    isBodyRaw: true,
    handler: ({ body }) => ({ hex: Buffer.isBuffer(body) ? body.toString("hex") : null }),
  };
  const { request } = await startServer(t, { routes: [echo, raw] });
  for (const type of ["application/json", "text/csv", "application/octet-stream", "made/up"]) {
    const answer = await request("/raw", {
      method: "POST",
      headers: { "content-type": type },
      body: Buffer.from([0x7b, 0xff]),
    });
    assert.deepEqual(answer.json, { hex: "7bff" }, type);
  }
  assertErrorBody(
    await request("/echo", { method: "POST", headers: JSON_HEADERS, body: "{" }),
    400,
    "VALIDATION_ERROR",
  );
});

test("other media types and encodings return 415", async (t) => {
  const { request } = await startServer(t, { routes: [echo] });
  for (const headers of [
    { "content-type": "application/xml" },
    { "content-type": "multipart/form-data; boundary=x" },
    { "content-type": "nonsense" },
    { "content-type": "application/json", "content-encoding": "gzip" },
  ]) {
    assertErrorBody(await request("/echo", { method: "POST", headers, body: "x" }), 415, "UNSUPPORTED_MEDIA_TYPE");
  }
});

test("a body over the limit returns 413 while the client is still sending", async (t) => {
  const { request, connect } = await startServer(t, { routes: [echo] });
  const limit = 64 * 1024;
  const ofSize = (size: number) => `"${"x".repeat(size - 2)}"`;
  const fits = await request("/echo", { method: "POST", headers: JSON_HEADERS, body: ofSize(limit) });
  assert.equal(fits.status, 200);
  assertErrorBody(
    await request("/echo", { method: "POST", headers: JSON_HEADERS, body: ofSize(limit + 1) }),
    413,
    "PAYLOAD_TOO_LARGE",
  );
  for (let i = 0; i < 5; i++) {
    const large = await request("/echo", { method: "POST", headers: JSON_HEADERS, body: ofSize(8 * 1024 * 1024) });
    assertErrorBody(large, 413, "PAYLOAD_TOO_LARGE");
  }
  const chunked = { ...JSON_HEADERS, "transfer-encoding": "chunked" };
  assertErrorBody(
    await request("/echo", { method: "POST", headers: chunked, body: ofSize(1024 * 1024) }),
    413,
    "PAYLOAD_TOO_LARGE",
  );
  // A client that reads only after it has sent everything.
  const deaf = await connect();
  deaf.pause();
  const size = 4 * 1024 * 1024;
  const head = `POST /echo HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: ${size}\r\n\r\n`;
  await new Promise<void>((resolve, reject) => {
    deaf.write(head + "x".repeat(size), (error) => (error ? reject(error) : resolve()));
  });
  const heard = readToEnd(deaf);
  deaf.resume();
  assert.match(await heard, /^HTTP\/1.1 413 /);
  // Responds without waiting for the body.
  const expecting = "POST /echo HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n";
  const answer = await exchange(await connect(), `${expecting}Content-Length: 999999\r\nExpect: 100-continue\r\n\r\n`);
  assert.match(answer, /^HTTP\/1.1 413 /);
});

test("Expect: 100-continue gets an interim response, other expectations are ignored", async (t) => {
  const { connect } = await startServer(t, { routes: [echo] });
  const socket = await connect();
  socket.write(
    "POST /echo HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 2\r\nExpect: 100-continue\r\n" +
      "Connection: close\r\n\r\n",
  );
  const [interim] = (await once(socket, "data")) as [Buffer];
  assert.match(interim.toString(), /^HTTP\/1.1 100 /);
  assert.match(await exchange(socket, "{}"), /^HTTP\/1.1 200 /);
  const other = "GET /health HTTP/1.1\r\nHost: x\r\nExpect: something\r\nConnection: close\r\n\r\n";
  assert.match(await exchange(await connect(), other), /^HTTP\/1.1 200 /);
});

test("URL and headers up to 256 KiB are accepted, larger ones return 431", async (t) => {
  const { request } = await startServer(t);
  assert.equal((await request(`/health?id=in.(${"a".repeat(200_000)})`)).status, 200);
  assertErrorBody(await request(`/health?id=in.(${"a".repeat(300_000)})`), 431, "HEADERS_TOO_LARGE");
  assertErrorBody(await request("/health", { headers: { "x-large": "a".repeat(900_000) } }), 431, "HEADERS_TOO_LARGE");
});

test("errors of handlers: known ones are returned, unknown ones only logged", async (t) => {
  const routes: Route[] = [
    route("/known", () => {
      throw new AppError("AGENT_NOT_FOUND", "No such agent", { headers: { "x-more": "1" } });
    }),
    route("/unknown", async () => {
      throw new Error("select secret from private.users");
    }),
    // oxlint-disable-next-line typescript/prefer-promise-reject-errors -- what is thrown need not be an Error
    ...[null, undefined, "text"].map((thrown) => route(`/${thrown}`, () => Promise.reject(thrown))),
  ];
  const { request, notes } = await startServer(t, { routes });
  const known = await request("/known");
  assertErrorBody(known, 404, "AGENT_NOT_FOUND");
  assert.equal(known.headers["x-more"], "1");
  for (const path of ["/unknown", "/null", "/undefined", "/text"]) {
    const answer = await request(path);
    assertErrorBody(answer, 500, "INTERNAL_ERROR");
    assert.ok(!answer.text.includes("private.users"));
  }
  await until(() => notes.filter(({ name }) => name === "request.failed").length >= 4);
  const logged = notes.find(({ fields }) => fields["path"] === "/unknown");
  assert.match(String(logged?.fields["error"]), /private.users/);
});

test("logs a failure of a provider, tool or endpoint at info, sampled and without its cause", async (t) => {
  const routes: Route[] = [
    route("/tool", () => {
      throw new AppError("TOOL_ERROR", "The host name could not be resolved", { cause: new Error("hostile words") });
    }),
    route("/guardrail", () => {
      throw new AppError("GUARDRAIL_FAILED", "The webhook of a user did not answer in time");
    }),
  ];
  const { request, notes } = await startServer(t, { routes });
  assertErrorBody(await request("/tool"), 502, "TOOL_ERROR");
  await until(() => notes.length >= 1);
  assert.equal(notes[0]?.name, "request.upstream_failed");
  const { level, sampled } = OBSERVATIONS["request.upstream_failed"];
  assert.deepEqual({ level, sampled }, { level: "info", sampled: true });
  const { code, reason } = notes[0]?.fields ?? {};
  assert.deepEqual([code, reason], ["TOOL_ERROR", "The host name could not be resolved"]);
  assertErrorBody(await request("/guardrail"), 502, "GUARDRAIL_FAILED");
  await until(() => notes.length >= 2);
  assert.deepEqual([notes[1]?.name, notes[1]?.fields["error"]], ["request.upstream_failed", undefined]);
  assert.ok(!notes.some(({ fields }) => String(fields["error"]).includes("hostile")));
});

test("each request is logged once, without its query", async (t) => {
  const { request, notes } = await startServer(t);
  await request("/health?apikey=secret", { headers: { "x-request-id": "one" } });
  await request("/nowhere?apikey=secret");
  await until(() => notes.length >= 2);
  assert.deepEqual(
    notes.map(({ name, fields }) => [name, fields["method"], fields["path"], fields["status"]]),
    [
      ["request.completed", "GET", "/health", 200],
      ["request.completed", "GET", "/nowhere", 404],
    ],
  );
  assert.equal(notes[0]?.fields["requestId"], "one");
  assert.ok(!JSON.stringify(notes).includes("secret"));
});

test("a handler that fails after its response has begun breaks only that connection", async (t) => {
  const routes: Route[] = [
    route("/raw", async (_request, reply) => {
      reply.raw.write("half");
      throw new Error("late");
    }),
    route("/sent", async (_request, reply) => {
      void reply.send({ ok: true });
      throw new Error("late");
    }),
    route("/hijacked", async (_request, reply) => {
      reply.hijack();
      reply.raw.write("half");
      throw new Error("late");
    }),
    route("/stream", (_request, reply) =>
      sendStream(reply, {
        status: 200,
        headers: {},
        stream: (async function* () {
          yield "half";
          throw new Error("late");
        })(),
      }),
    ),
  ];
  const { request, notes } = await startServer(t, { routes });
  assert.equal((await request("/sent")).status, 200);
  for (const path of ["/raw", "/stream", "/hijacked"]) await assert.rejects(request(path), path);
  assert.equal((await request("/health")).status, 200);
  await until(() => notes.filter(({ name }) => name === "request.failed").length >= 3);
});

test("a client that disconnects in the middle of its body is not an internal error", async (t) => {
  const { connect, notes, request } = await startServer(t, { routes: [echo] });
  const socket = await connect();
  const head = "POST /echo HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 50\r\n\r\n";
  await new Promise((resolve) => socket.write(`${head}{`, resolve));
  socket.destroy();
  await until(() => notes.some(({ fields }) => fields["path"] === "/echo"));
  assert.deepEqual(
    notes.map(({ name }) => name),
    ["request.completed"],
  );
  assert.equal((await request("/health")).status, 200);
});

test("pipelined requests are answered in order", async (t) => {
  const resolvers = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const routes = [
    route("/slow/:n", async (request) => {
      const { n } = request.params as { n: string };
      await resolvers[Number(n)]?.promise;
      return { n };
    }),
  ];
  const { connect } = await startServer(t, { routes });
  const line = (n: number, more = "") => `GET /slow/${n} HTTP/1.1\r\nHost: x\r\n${more}\r\n`;
  const socket = await connect();
  const answers = exchange(socket, line(0) + line(1) + line(2, "Connection: close\r\n"));
  resolvers[1]?.resolve();
  resolvers[0]?.resolve();
  assert.deepEqual(
    [...(await answers).matchAll(/\{"n":"(\d)"\}/g)].map(([, n]) => n),
    ["0", "1", "2"],
  );
});

test("malformed input after a valid request does not replace its response", async (t) => {
  const guard = Promise.withResolvers<void>();
  const entered = Promise.withResolvers<void>();
  const routes = [
    route("/slow", async () => {
      entered.resolve();
      await guard.promise;
      return { slow: true };
    }),
  ];
  const { connect } = await startServer(t, { routes });
  const answers = exchange(await connect(), "GET /slow HTTP/1.1\r\nHost: x\r\n\r\nnonsense\r\n\r\n");
  await entered.promise;
  guard.resolve();
  assert.match(await answers, /^HTTP\/1.1 200 [^]*\{"slow":true\}$/);
});

test("every route must define access and limit", () => {
  const incomplete = { method: "GET", path: "/x", handler: () => ({}) } as unknown as Route;
  assert.throws(
    () =>
      createHttpServer({
        settings: {
          ...loadSettings({}),
          host: "127.0.0.1",
          port: 0,
          tlsMode: "proxy",
          trustedProxies: ["127.0.0.1"],
          bodyLimitBytes: 1024,
          stopTimeoutMs: 0,
        },
        tls: null,
        routes: [incomplete],
        observer: { note: () => {}, child: () => assert.fail() },
      }),
    /GET \/x lacks access or limit/,
  );
});

test("malformed requests get the error body", async (t) => {
  const { connect, request } = await startServer(t);
  const malformed = [
    "nonsense\r\n\r\n",
    "GET /health HTTP/9.9\r\n\r\n",
    "GET /health HTTP/1.1\r\nHost: x\r\nBad Header: 1\r\n\r\n",
    "POST /x HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
    "POST /x HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nx",
    "GET /health HTTP/1.1\r\nConnection: close\r\n\r\n",
  ];
  for (const bytes of malformed) {
    const answer = await exchange(await connect(), bytes);
    assert.match(answer, /^HTTP\/1.1 400 Bad Request\r\n/, bytes);
    assert.equal(bodyOf(answer)["code"], "BAD_REQUEST");
    assert.match(answer, /access-control-allow-origin: \*\r\n/);
    assert.match(answer, /x-request-id: [0-9a-f-]{36}\r\n/);
    assert.match(answer, /connection: close\r\n/i);
  }
  const tunnel = await exchange(await connect(), "CONNECT example.com:443 HTTP/1.1\r\nHost: example.com:443\r\n\r\n");
  assert.match(tunnel, /^HTTP\/1.1 405 /);
  assert.equal((await request("/health")).status, 200);
});
