import assert from "node:assert/strict";
import { test } from "node:test";
import { exchange, route, startServer } from "./support/test-server.ts";

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
  const { request } = await startServer(t, { routes });
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

test("a cacheable response says so, and localhost gets no HSTS", async (t) => {
  const { request } = await startServer(t, { routes });
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
  const { request } = await startServer(t, { routes: [route("/auth/v1/token", () => ({}), "POST")] });
  const answers = [
    await request("/auth/v1/nowhere"),
    await request("/auth/v1/token"),
    await request("/auth/v1/token", { method: "POST", body: "x", headers: { "content-type": "image/tiff" } }),
    await request("/auth/v1/token", { method: "POST", body: "x".repeat(70_000), headers: JSON_TYPE }),
  ];
  assert.deepEqual(
    answers.map(({ status }) => status),
    [404, 405, 415, 413],
  );
  for (const { json, headers, text } of answers) {
    assert.equal(json["error_code"], "unknown", text);
    assert.equal(json["msg"], json["message"]);
    assert.equal(headers["x-sb-error-code"], "unknown");
  }
  assert.ok(!("error_code" in (await request("/nowhere")).json));
});
