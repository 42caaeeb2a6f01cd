import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { describe, it, type TestContext } from "node:test";
import { promisify } from "node:util";
import { brotliDecompress, gunzip, zstdDecompress } from "node:zlib";
import { type AuthGuard, authRoutes, restRoutes } from "../../src/http/index.ts";
import { Compressor } from "../../src/http/response/compressor.ts";
import { openRestStage, SERVICE } from "../rest/features/rest-stage.ts";
import { ask as askHttp2, openSession } from "./support/http2-client.ts";
import { startServer, type TestServer } from "./support/test-server.ts";

const SCHEMA = `
  create schema shop;
  create table shop.items (id int primary key, name text);
  insert into shop.items select n, repeat('item ' || n || ' ', 12) from generate_series(1, 400) n;
  create table shop.wide (id int primary key, text text);
  insert into shop.wide values (1, repeat('wide ', 1000000)), (2, 'whsec_' || repeat('secret ', 10000));
  grant usage on schema shop to service_role;
  grant all on all tables in schema shop to service_role`;

const DECOMPRESS = { zstd: promisify(zstdDecompress), br: promisify(brotliDecompress), gzip: promisify(gunzip) };
const LARGE = "/rest/v1/items?order=id";
const SMALL = "/rest/v1/items?id=eq.1";

describe("the representation of a response", () => {
  const opened = openRestStage(SCHEMA, { schemas: ["shop"] });
  const guard: AuthGuard = async () => ({ principal: SERVICE, hasAuthorization: true });
  const serve = (t: TestContext, settings: Parameters<typeof startServer>[1] & object = {}): Promise<TestServer> =>
    startServer(t, { routes: restRoutes(opened.stage.rest), guard, ...settings });

  it("is compressed above 16 KiB with a coding that the client accepts, over HTTP/1.1 and HTTP/2", async (t) => {
    const server = await serve(t);
    const session = await openSession(t, server);
    const plain = await server.request(LARGE);
    assert.equal(plain.headers["content-encoding"], undefined);
    assert.equal(plain.headers["vary"], "Accept, Prefer, Range, Accept-Encoding");
    assert.ok(plain.text.length > 16 * 1024);
    for (const [accept, coding] of [
      ["gzip, deflate", "gzip"],
      ["gzip, deflate, br", "br"],
      ["gzip, deflate, br, zstd", "zstd"],
      ["zstd;q=0, br;q=0.0, GZIP;q=0.5", "gzip"],
    ] as const) {
      const headers = { "accept-encoding": accept };
      const answer = await server.request(LARGE, { headers });
      const { headers: overHttp2, bytes } = await askHttp2(session, { ":path": LARGE, ...headers });
      for (const [got, body] of [
        [answer.headers, answer.bytes],
        [overHttp2, bytes],
      ] as const) {
        assert.equal(got["content-encoding"], coding, accept);
        assert.equal(got["vary"], "Accept, Prefer, Range, Accept-Encoding");
        assert.equal(Number(got["content-length"]), body.length);
        assert.ok(body.length < plain.text.length / 3);
        assert.equal((await DECOMPRESS[coding](body)).toString(), plain.text);
      }
    }
    for (const accept of ["identity", "deflate", "*", "br;q=0"]) {
      const { headers, text } = await server.request(LARGE, { headers: { "accept-encoding": accept } });
      assert.equal(headers["content-encoding"], undefined, accept);
      assert.equal(text, plain.text);
    }
    const small = await server.request(SMALL, { headers: { "accept-encoding": "gzip" } });
    assert.equal(small.headers["content-encoding"], undefined);
    assert.equal(small.headers["vary"], "Accept, Prefer, Range");
  });

  it("is not compressed above 4 MiB, with a secret, below /auth/v1, or with COMPRESSION_ENABLED=false", async (t) => {
    const headers = { "accept-encoding": "gzip" };
    const auth = authRoutes(
      [
        {
          method: "GET",
          path: "/large",
          access: "public",
          limit: "auth",
          run: async () => ({ status: 200, body: "x".repeat(50_000) }),
        },
      ],
      {} as Parameters<typeof authRoutes>[1],
    );
    const server = await serve(t, { routes: [...restRoutes(opened.stage.rest), ...auth] });
    for (const path of ["/rest/v1/wide?id=eq.1", "/rest/v1/wide?id=eq.2", "/auth/v1/large"]) {
      const answer = await server.request(path, { headers });
      assert.equal(answer.status, 200, path);
      assert.equal(answer.headers["content-encoding"], undefined, path);
      assert.ok(answer.text.length > 16 * 1024);
    }
    const off = await serve(t, { settings: { compressionEnabled: false } });
    assert.equal((await off.request(LARGE, { headers })).headers["content-encoding"], undefined);
  });

  it("has an entity tag where the client asks for one, and is a 304 when the client holds it", async (t) => {
    const server = await serve(t);
    const unasked = await server.request(LARGE);
    assert.equal(unasked.headers["etag"], undefined);
    assert.equal(unasked.headers["cache-control"], "no-store");
    const first = await server.request(LARGE, { headers: { "cache-control": "max-age=0" } });
    const { etag = "" } = first.headers;
    assert.match(etag, /^W\/"[\w-]{43}"$/);
    assert.equal(first.headers["cache-control"], "private, no-cache");
    assert.match(first.headers["vary"] ?? "", /Authorization, apikey, Accept-Encoding$/);
    assert.match(first.headers["access-control-expose-headers"] ?? "", /\betag\b/);
    assert.equal(first.text, unasked.text);

    const held = (path: string, tag: string, more: Record<string, string> = {}) =>
      server.request(path, { headers: { "if-none-match": tag, ...more } });
    for (const tag of [etag, etag.slice(2), `"other", ${etag}`, "*"]) {
      const answer = await held(LARGE, tag);
      assert.equal(answer.status, 304, tag);
      assert.equal(answer.text, "");
      assert.equal(answer.headers["etag"], etag);
      assert.equal(answer.headers["cache-control"], "private, no-cache");
      assert.equal(answer.headers["content-type"], undefined);
    }
    assert.equal((await held(LARGE, etag, { "accept-encoding": "zstd" })).status, 304);
    for (const [path, more] of [
      [LARGE, { prefer: "count=exact" }],
      [LARGE, { accept: "text/csv" }],
      [SMALL, {}],
    ] as const) {
      const other = await held(path, etag, more);
      assert.ok(other.status === 200 || other.status === 206, path);
      assert.notEqual(other.headers["etag"], etag);
    }
    await opened.stage.run("update shop.items set name = 'renamed' where id = 400");
    const changed = await held(LARGE, etag);
    assert.equal(changed.status, 200);
    assert.notEqual(changed.headers["etag"], etag);

    const error = await held("/rest/v1/nowhere", "*");
    assert.equal(error.status, 404);
    assert.equal(error.headers["etag"], undefined);
    assert.equal(error.headers["cache-control"], "no-store");
    const body = JSON.stringify({ id: 401 });
    const write = { method: "POST", body, headers: { "if-none-match": "*", "content-type": "application/json" } };
    assert.equal((await server.request("/rest/v1/items", write)).status, 201);
  });
});

it("few bodies are compressed at a time, and bodies that do not get smaller are not", async () => {
  const compressor = new Compressor();
  const body = Buffer.from("text ".repeat(100_000));
  const compressed = await Promise.all(Array.from({ length: 20 }, () => compressor.compress("gzip", body)));
  const count = compressed.filter((one) => one !== null).length;
  assert.ok(count === 1 || count === 2, `${count} bodies`);
  assert.notEqual(await compressor.compress("gzip", body), null);
  assert.equal(await compressor.compress("gzip", randomBytes(20_000)), null);
});
