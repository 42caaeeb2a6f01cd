import assert from "node:assert/strict";
import { test } from "node:test";
import { RouteTable } from "../../src/http/routes/route-table.ts";
import { route, startServer } from "./support/test-server.ts";

const at = (path: string, method: "GET" | "POST" = "GET") => route(path, () => ({}), method);

test("a name precedes a parameter, which precedes the rest of a path, for each method alone", () => {
  const paths = ["/a/:x", "/a/b", "/a/:x/c", "/a/b/:y/d", "/*"].map((path) => at(path));
  const table = new RouteTable([...paths, at("/a/:z", "POST")]);
  const find = (path: string, method = "GET") => {
    const found = table.find(method, path);
    return found === null ? null : [found.row.path, { ...found.params }];
  };
  assert.deepEqual(find("/a/b"), ["/a/b", {}]);
  assert.deepEqual(find("/a/e"), ["/a/:x", { x: "e" }]);
  assert.deepEqual(find("/a/b/c"), ["/a/:x/c", { x: "b" }]);
  assert.deepEqual(find("/a/b/e/d"), ["/a/b/:y/d", { y: "e" }]);
  assert.deepEqual(find("/a/b/e/f"), ["/*", { "*": "a/b/e/f" }]);
  assert.deepEqual(find("/a/"), ["/*", { "*": "a/" }]);
  assert.deepEqual(find("/a/b", "POST"), ["/a/:z", { z: "b" }]);
  assert.deepEqual(find("/a/b", "HEAD"), ["/a/b", {}]);
  assert.equal(find("/x", "POST"), null);
  assert.deepEqual(table.allowedMethods("/a/b"), ["GET", "HEAD", "OPTIONS", "POST"]);
});

test("segments are decoded after the path is split, and names of parameters reach no prototype", () => {
  const table = new RouteTable([at("/a/:__proto__"), at("/a/:x/:y")]);
  assert.equal(table.find("GET", "/%61/c%2Fd%25")?.params["__proto__"], "c/d%");
  assert.equal(table.find("GET", "/a%2Fb"), null);
  assert.throws(() => table.find("GET", "/a/%E0%A4"), /percent-encoded/);
  assert.throws(() => new RouteTable([at("/a/:x"), at("/a/:y")]), /GET \/a\/:y is declared twice/);
});

test("a header that HTTP does not allow is an internal error, and the connection goes on", async (t) => {
  const routes = [route("/header", (_request, reply) => reply.header("x-bad", "a\nb").send({}))];
  const { request } = await startServer(t, { routes });
  const answer = await request("/header");
  assert.equal(answer.status, 500);
  assert.equal(answer.json["code"], "INTERNAL_ERROR");
  assert.equal(answer.headers["x-bad"], undefined);
  assert.ok(answer.headers["x-request-id"]);
  const renderError = () => ({ body: "{}", headers: { "x-bad": "a\nb" } });
  const worse = await startServer(t, { routes: routes.map((one) => ({ ...one, renderError })) });
  await assert.rejects(worse.request("/header"));
  assert.equal((await worse.request("/health")).status, 200);
});
