import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { buildProxyTrust } from "../../src/http/request/proxy-trust.ts";
import { bodyOf, exchange, route, startServer } from "./support/test-server.ts";

const who = route("/who", (request) => ({ ip: request.clientAddress }));
const HTTPS = { "x-forwarded-proto": "https" };

test("serves requests from a trusted proxy that forwards https", async (t) => {
  const { request } = await startServer(t, {
    routes: [who],
    settings: { tlsMode: "proxy", trustedProxies: ["127.0.0.0/8", "10.0.0.0/8"] },
  });
  const ipFor = async (forwarded?: string) =>
    (await request("/who", { headers: { ...HTTPS, ...(forwarded && { "x-forwarded-for": forwarded }) } })).json["ip"];
  assert.equal(await ipFor(), "127.0.0.1");
  assert.equal(await ipFor("203.0.113.9"), "203.0.113.9");
  assert.equal(await ipFor("1.1.1.1, 203.0.113.9, 10.1.2.3"), "203.0.113.9");
  assert.equal(await ipFor("2001:db8::1"), "2001:db8::1");
  assert.equal(await ipFor("nonsense"), "127.0.0.1");

  for (const proto of [undefined, "http", "https, http", ""]) {
    const headers = proto === undefined ? {} : { "x-forwarded-proto": proto };
    const answer = await request("/who", { headers });
    assert.equal(answer.status, 426, String(proto));
    assert.equal(answer.json["code"], "HTTPS_REQUIRED");
    assert.equal(answer.headers["access-control-allow-origin"], "*");
    assert.ok(answer.headers["x-request-id"]);
  }
});

test("ignores forwarding headers of an untrusted address", async (t) => {
  const settings = { tlsMode: "proxy", trustedProxies: ["10.0.0.0/8"] } as const;
  const { request } = await startServer(t, { routes: [who], settings });
  const answer = await request("/who", { headers: { ...HTTPS, "x-forwarded-for": "10.0.0.1" } });
  assert.equal(answer.status, 426);
});

test("serves probes without the proxy, and only probes", async (t) => {
  const settings = { tlsMode: "proxy", trustedProxies: ["10.0.0.0/8"] } as const;
  const { request } = await startServer(t, { settings });
  assert.equal((await request("/health")).status, 200);
  assert.equal((await request("/ready?x")).status, 200);
  assert.equal((await request("/health", { method: "HEAD" })).status, 200);
  assert.equal((await request("/health", { method: "POST" })).status, 426);
  assert.equal((await request("/health/x")).status, 426);
});

test("malformed and slow requests get an error body in proxy mode too", async (t) => {
  const settings = { tlsMode: "proxy", trustedProxies: ["127.0.0.1"], headersTimeoutMs: 1_000 } as const;
  const { connectPlain } = await startServer(t, { settings });
  const malformed = await exchange(await connectPlain(), "nonsense\r\n\r\n");
  assert.match(malformed, /^HTTP\/1.1 400 /);
  assert.equal(bodyOf(malformed)["code"], "BAD_REQUEST");
  assert.match(await exchange(await connectPlain(), "GET / HTTP/1.1\r\n"), /^HTTP\/1.1 408 /);
  const http2 = await exchange(await connectPlain(), "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n");
  assert.match(http2, /^HTTP\/1.1 400 /);
});

test("ignores forwarding headers in serve mode", async (t) => {
  const { request } = await startServer(t, { routes: [who], settings: { trustedProxies: ["127.0.0.0/8"] } });
  assert.equal((await request("/who", { headers: { "x-forwarded-for": "203.0.113.9" } })).json["ip"], "127.0.0.1");
});

const trust = buildProxyTrust(["10.0.0.0/8", "192.0.2.7", "fd00::/8"]);
const cases: [peer: string, forwarded: string | undefined, client: string][] = [
  ["203.0.113.1", "1.2.3.4", "203.0.113.1"],
  ["10.0.0.1", undefined, "10.0.0.1"],
  ["10.0.0.1", "1.2.3.4", "1.2.3.4"],
  ["::ffff:10.0.0.1", "1.2.3.4", "1.2.3.4"],
  ["10.0.0.1", "1.2.3.4:5678", "1.2.3.4"],
  ["10.0.0.1", "[2001:db8::2]:443", "2001:db8::2"],
  ["10.0.0.1", "6.6.6.6, 1.2.3.4, 192.0.2.7", "1.2.3.4"],
  ["10.0.0.1", "10.0.0.3, 10.0.0.2", "10.0.0.3"],
  ["10.0.0.1", "1.2.3.4, unknown, 10.0.0.2", "10.0.0.2"],
  ["fd00::1", "2001:db8::9", "2001:db8::9"],
  ["fe80::1%eth0", "1.2.3.4", "fe80::1"],
];
for (const [peer, forwarded, client] of cases) {
  test(`the client behind ${peer} with X-Forwarded-For ${forwarded} is ${client}`, () => {
    assert.equal(trust.findClientAddress(peer, forwarded), client);
  });
}

test("entries left of the first untrusted address never matter", () => {
  fc.assert(
    fc.property(fc.string(), fc.ipV4(), (invented, client) => {
      fc.pre(!trust.isTrusted(client));
      assert.equal(trust.findClientAddress("10.0.0.1", `${invented}, ${client}, 10.0.0.2`), client);
    }),
  );
});
