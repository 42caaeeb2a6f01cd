import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { AppError } from "../../src/errors/index.ts";
import type { Preferences } from "../../src/rest/parse/parsed-request.ts";
import { parse, rejectionOf } from "./support/parsing.ts";

const NOTHING_PREFERRED: Preferences = {
  return: null,
  count: null,
  resolution: null,
  missing: null,
  handling: null,
  maxAffected: null,
  tx: null,
  timezone: null,
  unknown: [],
};

function prefer(prefer: string | string[]): Preferences {
  return parse({ headers: { prefer } }).preferences;
}

const PREFERENCES: readonly (readonly [string, Partial<Preferences>])[] = [
  ["", {}],
  [" , ,", {}],
  ["return=minimal", { return: "minimal" }],
  ["return=headers-only", { return: "headers-only" }],
  ["return=representation", { return: "representation" }],
  ["count=exact", { count: "exact" }],
  ["count=planned", { count: "planned" }],
  ["count=estimated", { count: "estimated" }],
  ["resolution=merge-duplicates", { resolution: "merge-duplicates" }],
  ["resolution=ignore-duplicates", { resolution: "ignore-duplicates" }],
  ["missing=default", { missing: "default" }],
  ["missing=null", { missing: "null" }],
  ["handling=strict", { handling: "strict" }],
  ["handling=lenient", { handling: "lenient" }],
  ["tx=commit", { tx: "commit" }],
  ["tx=rollback", { tx: "rollback" }],
  ["max-affected=10", { maxAffected: 10 }],
  ["timezone=America/Los_Angeles", { timezone: "America/Los_Angeles" }],
  ["timezone=-3", { timezone: "-3" }],
  ["count=exact,   tx=commit  ,return=representation", { count: "exact", tx: "commit", return: "representation" }],
  ["tx=commit, tx=rollback", { tx: "commit" }],
  ["count=none, count=exact", { count: "exact", unknown: ["count=none"] }],
  ["respond-async, constructor=x, a=b", { unknown: ["respond-async", "constructor=x", "a=b"] }],
  ["max-affected=-1, max-affected=x", { unknown: ["max-affected=-1", "max-affected=x"] }],
];

describe("Prefer", () => {
  for (const [header, expected] of PREFERENCES) {
    it(`takes ${JSON.stringify(header)}`, () => {
      assert.deepEqual(prefer(header), { ...NOTHING_PREFERRED, ...expected });
    });
  }

  it("may be sent more than once, and the first of a kind counts", () => {
    const preferences = prefer(["count=exact", "count=planned, return=minimal"]);
    assert.deepEqual(preferences, { ...NOTHING_PREFERRED, count: "exact", return: "minimal" });
  });

  it("is rejected for unknown preferences only with strict handling", () => {
    assert.deepEqual(
      rejectionOf(() => prefer("a=b, handling=strict, c, max-affected=many")),
      {
        code: "PGRST122",
        status: 400,
        message: "Invalid preferences given with handling=strict",
        details: "Invalid preferences: a=b, c, max-affected=many",
      },
    );
    assert.deepEqual(prefer("handling=strict, count=exact").unknown, []);
    assert.deepEqual(prefer("handling=lenient, a").unknown, ["a"]);
  });
});

describe("Accept", () => {
  const types = (accept?: string) => parse({ headers: { accept } }).accept.map(({ type }) => type);

  it("is anything when it is absent or empty", () => {
    assert.deepEqual(types(), ["*/*"]);
    assert.deepEqual(types(" "), ["*/*"]);
  });

  it("is sorted by quality, then the exact before the pattern, then as sent", () => {
    assert.deepEqual(types("text/html, a/a;q=0.5, application/json;q=0.9"), ["text/html", "application/json", "a/a"]);
    assert.deepEqual(types("*/*, text/*, text/csv, application/json"), [
      "text/csv",
      "application/json",
      "text/*",
      "*/*",
    ]);
    assert.deepEqual(types("a/a;q=.2,b/b;q=1.000,c/c;q=nonsense"), ["b/b", "c/c", "a/a"]);
  });

  it("omits types of quality zero, even if none is left", () => {
    assert.deepEqual(types("text/csv;q=0, */*;q=0.1"), ["*/*"]);
    assert.deepEqual(types("text/csv;q=0.000"), []);
  });

  it("has parameters, which may contain separators in quotes", () => {
    const { accept } = parse({
      headers: {
        accept: 'Application/vnd.PGRST.plan+json; FOR="a/b; x=\\"1,2\\""; options=analyze|wal;, text/csv ;q=0.1',
      },
    });
    assert.deepEqual(accept, [
      {
        type: "application/vnd.pgrst.plan+json",
        parameters: { for: 'a/b; x="1,2"', options: "analyze|wal" },
        quality: 1,
      },
      { type: "text/csv", parameters: {}, quality: 0.1 },
    ]);
  });

  it("never fails", () => {
    for (const accept of [",;,", ";;;", '"', '\\"', "a", "a/", "=;=", "__proto__;__proto__=1"]) {
      assert.ok(Array.isArray(parse({ headers: { accept } }).accept));
    }
    assert.deepEqual(Object.keys(parse({ headers: { accept: "a/b;__proto__=1" } }).accept[0]?.parameters ?? {}), [
      "__proto__",
    ]);
  });
});

describe("the profile", () => {
  it("is the first exposed schema when none is named", () => {
    const { schema, isProfileGiven } = parse({});
    assert.deepEqual([schema, isProfileGiven], ["public", false]);
  });

  it("is named by one header on reads and by another on writes", () => {
    const headers = { "accept-profile": "other", "content-profile": "public" };
    for (const method of ["GET", "HEAD", "OPTIONS"]) assert.equal(parse({ method, headers }).schema, "other");
    for (const method of ["POST", "PATCH", "PUT", "DELETE"]) {
      const { schema, isProfileGiven } = parse({ method, headers, body: Buffer.from("{}") });
      assert.deepEqual([schema, isProfileGiven], ["public", true]);
    }
  });

  it("is rejected when it is not exposed", () => {
    const headers = { "accept-profile": "private" };
    const { code, status, message } = rejectionOf(() => parse({ headers }));
    assert.deepEqual([code, status, message], ["PGRST106", 406, "Invalid schema: private"]);
    assert.throws(
      () => parse({ headers }),
      (error) =>
        error instanceof AppError && error.extra.hint === "Only the following schemas are exposed: public, other",
    );
    assert.equal(rejectionOf(() => parse({ headers: { "accept-profile": "" } })).code, "PGRST106");
  });
});
