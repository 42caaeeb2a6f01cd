import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Operator } from "../../src/operators/index.ts";
import type { FilterCondition, Operation } from "../../src/rest/parse/parsed-request.ts";
import { arrow, field, filter, operation, parse, parseParameters, rejectionOf, textArrow } from "./support/parsing.ts";

const QUANTIFIABLE: readonly Operator[] = ["eq", "gt", "gte", "lt", "lte", "like", "ilike", "match", "imatch"];
const SIMPLE: readonly Operator[] = ["neq", "isdistinct", "cs", "cd", "ov", "sl", "sr", "nxr", "nxl", "adj"];
const SEARCH: readonly Operator[] = ["fts", "plfts", "phfts", "wfts"];

function parseValue(value: string): Operation {
  const [condition] = parseParameters(["c", value]).root.conditions;
  assert.equal(condition?.kind, "filter");
  return condition.operation;
}

const TAKEN: readonly (readonly [string, Operation])[] = [
  ["eq.", operation("eq", "")],
  ["eq.a.b,(c)", operation("eq", "a.b,(c)")],
  ['eq."quoted"', operation("eq", '"quoted"')],
  ["eq. 1 ", operation("eq", " 1 ")],
  ["not.eq.5", operation("eq", "5", { isNegated: true })],
  ["eq.not.eq.5", operation("eq", "not.eq.5")],
  ["like.*a*", operation("like", "*a*")],
  ["not.like(all).{*a*,*b}", operation("like", "{*a*,*b}", { isNegated: true, quantifier: "all" })],
  ['cs.{"a":1}', operation("cs", '{"a":1}')],
  ["ov.[1,2)", operation("ov", "[1,2)")],
  ["in.()", operation("in", [])],
  ['in.("")', operation("in", [""])],
  ["in.(1)", operation("in", ["1"])],
  ["in.(1,2,)", operation("in", ["1", "2", ""])],
  ["in. (a b, c) ", operation("in", ["a b", " c"])],
  ['in.("a,b","(c)")', operation("in", ["a,b", "(c)"])],
  ['in.("a\\"b","c\\\\d")', operation("in", ['a"b', "c\\d"])],
  ['in.(a"b,"c"d)', operation("in", ['a"b', '"c"d'])],
  ['in.("a"b,c")', operation("in", ['"a"b', 'c"'])],
  ['in.("a)', operation("in", ['"a'])],
  ["not.in.(1,2)", operation("in", ["1", "2"], { isNegated: true })],
  ["is.null", operation("is", "null")],
  ["is.NOT_NULL", operation("is", "not_null")],
  ["is.True", operation("is", "true")],
  ["is.fALSE", operation("is", "false")],
  ["not.is.unknown", operation("is", "unknown", { isNegated: true })],
  ["fts(english).a & b", operation("fts", "a & b", { config: "english" })],
  ["not.wfts(simple).x", operation("wfts", "x", { config: "simple", isNegated: true })],
];

const REJECTED: readonly (readonly [string, number, string])[] = [
  ["", 1, 'unexpected end of input expecting "not" or operator (eq, gt, ...)'],
  ["val", 1, 'unexpected "v" expecting "not" or operator (eq, gt, ...)'],
  ["noop.0", 1, 'unexpected "n" expecting "not" or operator (eq, gt, ...)'],
  ["EQ.1", 1, 'unexpected "E" expecting "not" or operator (eq, gt, ...)'],
  ["eqq.1", 1, 'unexpected "e" expecting "not" or operator (eq, gt, ...)'],
  ["toString.1", 1, 'unexpected "t" expecting "not" or operator (eq, gt, ...)'],
  ["constructor.1", 1, 'unexpected "c" expecting "not" or operator (eq, gt, ...)'],
  ["not.not.eq.1", 5, 'unexpected "n" expecting operator (eq, gt, ...)'],
  ["eq", 3, "unexpected end of input expecting delimiter (.)"],
  ["eq().1", 4, 'unexpected ")" expecting "any)" or "all)"'],
  ["eq(some).1", 4, 'unexpected "s" expecting "any)" or "all)"'],
  ["neq(any).1", 4, 'unexpected "(" expecting delimiter (.)'],
  ["in(any).(1)", 3, 'unexpected "(" expecting delimiter (.)'],
  ["is(any).null", 3, 'unexpected "(" expecting delimiter (.)'],
  ["in.1", 4, 'unexpected "1" expecting "("'],
  ["in.(1", 6, 'unexpected end of input expecting "," or ")"'],
  ["in.(1)2", 7, 'unexpected "2" expecting end of input'],
  ["is.nil", 4, 'unexpected "n" expecting isVal: (null, not_null, true, false, unknown)'],
  ["is.nullx", 4, 'unexpected "n" expecting isVal: (null, not_null, true, false, unknown)'],
  ["is.null.x", 8, 'unexpected "." expecting end of input'],
  ["fts().x", 5, 'unexpected ")" expecting letter or digit'],
  ["fts(a b.x", 8, 'unexpected "." expecting ")"'],
];

describe("an operation", () => {
  for (const operator of [...QUANTIFIABLE, ...SIMPLE, ...SEARCH]) {
    it(`may be ${operator}, plain and negated`, () => {
      assert.deepEqual(parseValue(`${operator}.x.y`), operation(operator, "x.y"));
      assert.deepEqual(parseValue(`not.${operator}.x`), operation(operator, "x", { isNegated: true }));
    });
  }

  for (const operator of QUANTIFIABLE) {
    it(`takes any and all with ${operator}`, () => {
      assert.deepEqual(parseValue(`${operator}(any).{1}`), operation(operator, "{1}", { quantifier: "any" }));
      assert.deepEqual(parseValue(`${operator}(all).{1}`), operation(operator, "{1}", { quantifier: "all" }));
    });
  }

  for (const operator of SIMPLE) {
    it(`takes no quantifier with ${operator}`, () => {
      assert.equal(rejectionOf(() => parseValue(`${operator}(any).{1}`)).code, "PGRST100");
    });
  }

  for (const [text, expected] of TAKEN) {
    it(`takes ${JSON.stringify(text)}`, () => {
      assert.deepEqual(parseValue(text), expected);
    });
  }

  for (const [text, columnNumber, details] of REJECTED) {
    it(`rejects ${JSON.stringify(text)}`, () => {
      const message = `"failed to parse filter (${text})" (line 1, column ${columnNumber})`;
      assert.deepEqual(
        rejectionOf(() => parseValue(text)),
        { code: "PGRST100", status: 400, message, details },
      );
    });
  }
});

describe("the name of a filter", () => {
  it("may be a column, quoted, dashed, or a JSON path", () => {
    const does = operation("eq", "1");
    const names: readonly (readonly [string, FilterCondition["field"]])[] = [
      ["a", field("a")],
      ['"a.b"', field("a.b")],
      ["a-b", field("a-b")],
      ["a->b->>0", field("a", arrow("b"), textArrow(0))],
    ];
    for (const [name, expected] of names) {
      assert.deepEqual(parseParameters([name, "eq.1"]).root.conditions, [filter(expected, does)]);
    }
  });

  it("may begin with the path of an embed", () => {
    const { root, embeds } = parseParameters(["a.b.c->>d", "gt.1"], ['"a"."b".e', "lt.2"]);
    assert.deepEqual(root.conditions, []);
    const conditions = [filter(field("c", textArrow("d")), operation("gt", "1")), filter("e", operation("lt", "2"))];
    assert.deepEqual(embeds, [{ path: ["a", "b"], modifiers: { conditions, order: [], limit: null, offset: null } }]);
  });

  it("may repeat, and each time adds a condition", () => {
    const { root } = parseParameters(["a", "gt.1"], ["a", "lt.9"]);
    assert.deepEqual(root.conditions, [filter("a", operation("gt", "1")), filter("a", operation("lt", "9"))]);
  });

  it("may equal a member of Object.prototype", () => {
    for (const name of ["__proto__", "constructor", "hasOwnProperty"]) {
      assert.deepEqual(parseParameters([name, "eq.1"]).root.conditions, [filter(name, operation("eq", "1"))]);
      assert.deepEqual(parseParameters([`${name}.a`, "eq.1"]).embeds[0]?.path, [name]);
    }
  });

  for (const name of ["", ".", "a.", ".a", "a)", "a->", "a->b.c", "a!b", "*", `${"a.".repeat(60)}b`]) {
    it(`is rejected as ${JSON.stringify(name)}`, () => {
      const { code, message } = rejectionOf(() => parseParameters([name, "eq.1"]));
      assert.equal(code, "PGRST100");
      assert.ok(message.startsWith(`"failed to parse tree path (${name})"`), message);
    });
  }

  it("is a keyword only as a whole or at the end", () => {
    const { root } = parseParameters(["orders", "eq.1"], ["select.a", "eq.1"], ["order->a", "eq.1"]);
    assert.deepEqual(root.conditions, [
      filter("orders", operation("eq", "1")),
      filter(field("order", arrow("a")), operation("eq", "1")),
    ]);
  });
});

describe("a query string", () => {
  it("decodes plus signs as blanks, and percent-encoded UTF-8", () => {
    assert.deepEqual(parse({ search: "?a+b=eq.c+d%2B%C3%A9" }).query.root.conditions, [
      filter("a b", operation("eq", "c d+é")),
    ]);
  });

  it("may contain raw bytes, which are decoded as UTF-8", () => {
    const search = `a=eq.${Buffer.from("é€").toString("latin1")}`;
    assert.deepEqual(parse({ search }).query.root.conditions, [filter("a", operation("eq", "é€"))]);
  });

  it("ignores parts without a value", () => {
    assert.deepEqual(parse({ search: "?a&&b&select&limit" }).query, parse({ search: "" }).query);
  });

  it("is rejected when it is not percent-encoded UTF-8 or contains a NUL", () => {
    for (const search of ["a=eq.%", "a=eq.%4", "a=eq.%zz", "a=eq.%ff", "%=eq.1", "a=eq.%00", "select=%22a%00%22"]) {
      const { code, status } = rejectionOf(() => parse({ search }));
      assert.deepEqual([code, status], ["PGRST100", 400], search);
    }
  });

  it("is rejected when it exceeds the bounds", () => {
    assert.equal(rejectionOf(() => parse({ search: "a=eq.1&".repeat(10_001) })).code, "PGRST100");
    assert.equal(rejectionOf(() => parse({ search: `or=(${"a.eq.1,".repeat(10_001)}a.eq.1)` })).code, "PGRST100");
    assert.equal(rejectionOf(() => parse({ search: "order=a,b,c&".repeat(100) })).code, "PGRST100");
    assert.equal(rejectionOf(() => parse({ search: `a=eq.${"x".repeat(5_000_000)}` })).code, "PGRST100");
  });

  it("is ignored for the root and OPTIONS", () => {
    assert.deepEqual(parse({ path: "/", search: "a=b" }).query.root.conditions, []);
    assert.deepEqual(parse({ method: "OPTIONS", search: "a=b" }).query.root.conditions, []);
  });
});
