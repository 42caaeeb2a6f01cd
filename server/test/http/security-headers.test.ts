import assert from "node:assert/strict";
import type { Socket } from "node:net";
import type { Duplex } from "node:stream";
import { test } from "node:test";
import { AppError } from "../../src/errors/index.ts";
import { type Answer, bodyOf, exchange, route, startServer, type TestServer } from "./support/test-server.ts";

const EXPECTED = {
  "cache-control": "no-store",
  "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
  "cross-origin-resource-policy": "same-origin",
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
};
const STRICT = "strict-transport-security";
const JSON_TYPE = { "content-type": "application/json" };

const routes = [
  route("/kept", (_request, reply) => reply.header("cache-control", "public, max-age=60").send({})),
  route("/fault", () => Promise.reject(new Error("no"))),
  route("/echo", () => ({}), "POST"),
];

test("every response has the security headers", async (t) => {
  const { request } = await startServer(t, { routes, isOperatorCertificate: true });
  const host = "api.example.test";
  const asked = [
    ["/health", 200, {}],
    ["/health", 200, { method: "HEAD" }],
    ["/nowhere", 404, {}],
    ["/echo", 405, {}],
    ["/fault", 500, {}],
    ["/%zz", 400, {}],
    ["/echo", 400, { method: "POST", body: "{", headers: JSON_TYPE }],
    ["/echo", 415, { method: "POST", body: "x", headers: { "content-type": "image/tiff" } }],
    ["/echo", 413, { method: "POST", body: "x".repeat(70_000), headers: JSON_TYPE }],
    ["/health", 204, { method: "OPTIONS", headers: { "access-control-request-method": "GET" } }],
  ] as const;
  for (const [path, status, options] of asked) {
    const headers = { host, ...("headers" in options && options.headers) };
    const answer = await request(path, { servername: "localhost", ...options, headers });
    assert.equal(answer.status, status, path);
    for (const [name, value] of Object.entries(EXPECTED)) assert.equal(answer.headers[name], value, `${path} ${name}`);
    assert.match(answer.headers[STRICT] ?? "", /^max-age=\d{8}$/, path);
  }
});

test("responses to malformed or plain-HTTP input have the security headers without HSTS", async (t) => {
  const { connect, connectPlain } = await startServer(t);
  const malformed = await exchange(await connect(), "GET / HTTP/1.1\r\nbad header\r\n\r\n");
  const plain = await exchange(await connectPlain(), "GET / HTTP/1.1\r\nhost: x\r\n\r\n");
  for (const answer of [malformed, plain]) {
    for (const [name, value] of Object.entries(EXPECTED)) assert.ok(answer.includes(`${name}: ${value}\r\n`), answer);
    assert.ok(!answer.includes(STRICT));
  }
});

test("a certificate of the local authority sends no HSTS", async (t) => {
  const { request } = await startServer(t, { routes });
  const host = "api.example.test";
  for (const path of ["/health", "/nowhere"])
    assert.equal((await request(path, { servername: "localhost", headers: { host } })).headers[STRICT], undefined);
});

test("a cacheable response says so, and localhost gets no HSTS", async (t) => {
  const { request } = await startServer(t, { routes, isOperatorCertificate: true });
  const kept = await request("/kept", { headers: { host: "localhost:8443" } });
  assert.equal(kept.headers["cache-control"], "public, max-age=60");
  assert.equal(kept.headers[STRICT], undefined);
  assert.equal(
    (await request("/kept", { servername: "localhost", headers: { host: "app.localhost" } })).headers[STRICT],
    undefined,
  );
  assert.ok((await request("/kept", { servername: "localhost", headers: { host: "notlocalhost" } })).headers[STRICT]);
});

test("errors below /auth/v1 have GoTrue's members, wherever they arise", async (t) => {
  const onUpgrade = (_request: unknown, socket: Duplex) => socket.destroy();
  const { request, connect, connectPlain } = await startServer(t, {
    routes: [
      route("/auth/v1/token", () => ({}), "POST"),
      route("/auth/v1/fault", () => Promise.reject(new Error("no"))),
      route("/auth/v1/busy", () =>
        Promise.reject(new AppError("BAD_REQUEST", "later", { foreign: { code: "55P03", status: 503 } })),
      ),
    ],
    onUpgrade,
  });
  const hasty = await startServer(t, {
    routes: [route("/auth/v1/token", () => ({}), "POST")],
    settings: { requestTimeoutMs: 50 },
  });
  const asked: readonly [status: number, code: string, answer: Promise<Answer>][] = [
    [404, "not_found", request("/auth/v1/nowhere")],
    [404, "not_found", request("/auth/v1")],
    [405, "method_not_allowed", request("/auth/v1/token")],
    [415, "unsupported_media_type", post(request, "x", { "content-type": "image/tiff" })],
    [413, "request_entity_too_large", post(request, "x".repeat(70_000), JSON_TYPE)],
    [400, "bad_json", post(request, "{", JSON_TYPE)],
    [400, "bad_request", request("/auth/v1/%zz")],
    [500, "unexpected_failure", request("/auth/v1/fault")],
    [503, "unexpected_failure", request("/auth/v1/busy")],
    [400, "bad_request", ask(connect(), "GET /auth/v1/token HTTP/1.1\r\n\r\n")],
    [404, "not_found", ask(connect(), `GET /auth/v1/token HTTP/1.1\r\n${UPGRADE}`)],
    [408, "request_timeout", ask(hasty.connect(), `POST /auth/v1/token HTTP/1.1\r\n${HALF_BODY}`)],
    [426, "https_required", ask(connectPlain(), "GET /auth/v1/token HTTP/1.1\r\nhost: x\r\n\r\n")],
  ];
  for (const [status, code, answering] of asked) {
    const { status: given, json, headers, text } = await answering;
    assert.deepEqual([given, json["error_code"], headers["x-sb-error-code"]], [status, code, code], text);
    assert.equal(json["msg"], json["message"]);
  }
  const plain = await ask(connectPlain(), "GET /authors HTTP/1.1\r\nhost: x\r\n\r\n");
  for (const { json } of [await request("/nowhere"), await request("/auth/v10"), plain]) {
    assert.ok(json["code"] !== undefined && !("error_code" in json));
  }
});

test("errors with a code of PostgREST have four members below /rest/v1, and also `error` elsewhere", async (t) => {
  const fail = () =>
    Promise.reject(new AppError("NOT_FOUND", "No table", { foreign: { code: "PGRST205", status: 404 } }));
  const paths = ["/rest/v1/things", "/functions/v1/things", "/auth/v1/things"];
  const { request } = await startServer(t, { routes: paths.map((path) => route(path, fail)) });
  const [rest, functions, auth] = await Promise.all(paths.map(async (path) => (await request(path)).json));
  const four = { code: "PGRST205", message: "No table", details: null, hint: null };
  assert.deepEqual(rest, four);
  assert.deepEqual(functions, { ...four, error: "Not found" });
  assert.deepEqual(auth, { ...four, error: "Not found", error_code: "unknown", msg: "No table" });
});

const UPGRADE = "host: x\r\nconnection: upgrade\r\nupgrade: websocket\r\n\r\n";
const HALF_BODY = "host: x\r\ncontent-type: application/json\r\ncontent-length: 9\r\n\r\n{";

function post(request: TestServer["request"], body: string, headers: Record<string, string>): Promise<Answer> {
  return request("/auth/v1/token", { method: "POST", body, headers });
}

/** Sends raw bytes and parses the response. */
async function ask(socket: Promise<Socket>, bytes: string): Promise<Answer> {
  const text = await exchange(await socket, bytes);
  const [head = ""] = text.split("\r\n\r\n", 1);
  const [line = "", ...lines] = head.split("\r\n");
  const headers = Object.fromEntries(lines.map((header) => header.split(": ", 2)));
  const parts = { bytes: Buffer.from(text, "latin1"), text, json: bodyOf(text) };
  return { status: Number(line.split(" ")[1]), headers, ...parts };
}
