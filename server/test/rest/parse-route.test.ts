import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { renderError } from "../../src/errors/index.ts";
import { filter, operation, parse, rejectionOf } from "./support/parsing.ts";

describe("the path", () => {
  it("is the root, a relation or a function", () => {
    assert.deepEqual(parse({ path: "" }).target, { kind: "root" });
    assert.deepEqual(parse({ path: "/" }).target, { kind: "root" });
    assert.deepEqual(parse({ path: "/agents" }).target, { kind: "relation", name: "agents" });
    assert.deepEqual(parse({ path: "/rpc" }).target, { kind: "relation", name: "rpc" });
    assert.deepEqual(parse({ path: "/rpc/f" }).target, { kind: "rpc", name: "f" });
  });

  it("is percent-decoded, and a plus sign stays a plus sign", () => {
    assert.deepEqual(parse({ path: "/a%20b%2Fc+%C3%A9" }).target, { kind: "relation", name: "a b/c+é" });
    assert.deepEqual(parse({ path: `/${Buffer.from("é").toString("latin1")}` }).target, {
      kind: "relation",
      name: "é",
    });
  });

  for (const path of ["/a/b", "/a/", "//", "//a", "/rpc/", "/rpc/f/", "/rpc/f/g", "a", "/a/b/c/d/e"]) {
    it(`is not found as ${path}`, () => {
      const { code, status, message } = rejectionOf(() => parse({ path }));
      assert.deepEqual([code, status, message], ["PGRST125", 404, "Invalid path specified in request URL"]);
    });
  }

  for (const path of ["/%", "/%zz", "/%ff", "/a%00b", "/rpc/%"]) {
    it(`is rejected as ${path}`, () => {
      const { code, status } = rejectionOf(() => parse({ path }));
      assert.deepEqual([code, status], ["PGRST100", 400]);
    });
  }
});

describe("the method", () => {
  const body = Buffer.from("{}");

  it("is one of those that the target supports", () => {
    for (const method of ["GET", "HEAD", "OPTIONS"]) assert.equal(parse({ path: "/", method }).method, method);
    for (const method of ["GET", "HEAD", "POST", "OPTIONS"]) {
      assert.equal(parse({ path: "/rpc/f", method, body }).method, method);
    }
    for (const method of ["GET", "HEAD", "POST", "PATCH", "PUT", "DELETE", "OPTIONS"]) {
      assert.equal(parse({ method, body }).method, method);
    }
  });

  it("is rejected otherwise, with the allowed methods", () => {
    const unsupported = rejectionOf(() => parse({ method: "TRACE" }));
    assert.deepEqual(unsupported, {
      code: "PGRST117",
      status: 405,
      message: "Unsupported HTTP method: TRACE",
      details: null,
    });
    assert.equal(rejectionOf(() => parse({ path: "/", method: "POST", body })).code, "PGRST117");
    const onFunction = rejectionOf(() => parse({ path: "/rpc/f", method: "PATCH", body }));
    assert.deepEqual([onFunction.code, onFunction.status], ["PGRST101", 405]);
    assert.equal(onFunction.message, "Cannot use the PATCH method on RPC");
    try {
      parse({ path: "/rpc/f", method: "PATCH", body });
    } catch (error) {
      assert.equal(renderError(error).headers["allow"], "OPTIONS, GET, HEAD, POST");
    }
  });
});

describe("a call of a function", () => {
  it("by GET keeps all parameters as arguments and also parses filters", () => {
    const search = "a=1&b=eq.2&c=in.x&d=not.foo&e)=x&a=3&select=x&limit=1&f.g=gt.1&h=";
    const { args, root, embeds } = parse({ path: "/rpc/f", search }).query;
    const pairs = args.map(({ pair }) => pair);
    assert.deepEqual(pairs, [
      ["a", "1"],
      ["b", "eq.2"],
      ["c", "in.x"],
      ["d", "not.foo"],
      ["e)", "x"],
      ["a", "3"],
      ["f.g", "gt.1"],
      ["h", ""],
    ]);
    assert.deepEqual(root.conditions, [filter("b", operation("eq", "2"))]);
    assert.deepEqual(
      args.map((argument) => argument.filter),
      [null, root.conditions[0], null, null, null, null, "of an embed", null],
    );
    assert.deepEqual(embeds[0]?.modifiers.conditions, [filter("g", operation("gt", "1"))]);
    assert.equal(root.limit, 1);
  });

  it("by POST takes arguments from the body, and only filters from the query", () => {
    const input = { path: "/rpc/f", method: "POST", body: Buffer.from("{}") };
    const { args, root } = parse({ ...input, search: "b=eq.2" }).query;
    assert.deepEqual([args, root.conditions], [[], [filter("b", operation("eq", "2"))]]);
    assert.equal(rejectionOf(() => parse({ ...input, search: "a=1" })).code, "PGRST100");
  });

  it("keeps no arguments for a table", () => {
    assert.deepEqual(parse({ search: "b=eq.2" }).query.args, []);
  });
});

describe("the body of a parse error", () => {
  it("contains PostgREST's code and status", () => {
    try {
      parse({ search: "a=b" });
      assert.fail("was taken");
    } catch (error) {
      const { status, headers, body } = renderError(error);
      assert.equal(status, 400);
      assert.equal(headers["proxy-status"], "swarmbase; error=PGRST100");
      assert.deepEqual(JSON.parse(body), {
        code: "PGRST100",
        message: '"failed to parse filter (b)" (line 1, column 1)',
        details: 'unexpected "b" expecting "not" or operator (eq, gt, ...)',
        hint: null,
      });
    }
  });
});
