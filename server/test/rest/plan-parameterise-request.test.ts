import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import type { AnswerMedia } from "../../src/rest/plan/negotiate.ts";
import { parameterisedOf, ROWS } from "./support/planning.ts";

type ParameterList = Parameters<typeof parameterisedOf>[1];

function keyOf(url: string, options?: ParameterList): string {
  return parameterisedOf(url, options).parameterised.key;
}

const EQUAL: readonly (readonly [string, string])[] = [
  ["t?id=eq.1", "t?id=eq.2"],
  ["t?id=in.(1,2)", "t?id=in.(1,2,3)"],
  ["t?words=fts(english).a", "t?words=fts(german).b"],
  ["t?or=(a.eq.1,b.gt.2)", "t?or=(a.eq.3,b.gt.4)"],
  ["t?limit=1&offset=2", "t?offset=4&limit=3"],
  ["t?select=a(*)&a.limit=1", "t?select=a(*)&a.limit=7"],
  ["t?select=*", "t"],
];

const DIFFERENT: readonly (readonly [string, string])[] = [
  ["t", "u"],
  ["t?id=eq.1", "t?id=neq.1"],
  ["t?id=eq.1", "t?id=not.eq.1"],
  ["t?id=eq.{1}", "t?id=eq(any).{1}"],
  ["t?id=eq(any).{1}", "t?id=eq(all).{1}"],
  ["t?id=is.null", "t?id=is.true"],
  ["t?words=fts.a", "t?words=fts(english).a"],
  ["t?words=fts.a", "t?words=wfts.a"],
  ["t?d->a=eq.1", "t?d->>a=eq.1"],
  ["t?d->a=eq.1", "t?d->b=eq.1"],
  ["t?d->1=eq.1", 't?d->"1"=eq.1'],
  ["t?a=eq.1&b=eq.1", "t?or=(a.eq.1,b.eq.1)"],
  ["t?or=(a.eq.1,b.eq.1)", "t?and=(a.eq.1,b.eq.1)"],
  ["t?or=(a.eq.1,b.eq.1)", "t?not.or=(a.eq.1,b.eq.1)"],
  ["t?or=(a.eq.1,and(b.eq.1,c.eq.1))", "t?or=(and(a.eq.1,b.eq.1),c.eq.1)"],
  ["t", "t?limit=1"],
  ["t?limit=1", "t?offset=1"],
  ["t?order=a", "t?order=a.desc"],
  ["t?order=a", "t?order=a.nullsfirst"],
  ["t?order=a", "t?order=r(a)"],
  ["t?order=a,b", "t?order=b,a"],
  ["t?select=a", "t?select=a:a"],
  ["t?select=a", "t?select=a::text"],
  ["t?select=a.sum()", "t?select=a.max()"],
  ["t?select=a.sum()", "t?select=a.sum()::text"],
  ["t?select=a::text.sum()", "t?select=a.sum()::text"],
  ["t?select=count()", 't?select="count"'],
  ["t?select=r(a,b)", "t?select=r(a),b"],
  ["t?select=r(*)", "t?select=r!inner(*)"],
  ["t?select=r(*)", "t?select=r!x(*)"],
  ["t?select=r!x(*)", "t?select=x:r(*)"],
  ["t?select=r(*)", "t?select=...r(*)"],
  ["t?select=r()", "t?select=r"],
  ["t?select=r(*)&r.a=eq.1", "t?select=r(*)&a=eq.1"],
  ["t?select=r(*)&r.limit=1", "t?select=r(*)&limit=1"],
  ["t?select=a,b", "t?select=ab"],
  ['t?select="a-1:b",c', 't?select=a,"1:b-c"'],
  ["t?columns=a,b", "t?columns=a"],
  ["t?columns=a", "t?on_conflict=a"],
  ["rpc/f?a=1", "rpc/f?b=1"],
  ["rpc/f?a=1", "rpc/f?a=1&a=1"],
];

const MEDIA: readonly AnswerMedia[] = [
  ROWS,
  { ...ROWS, body: { kind: "array", hasNulls: false } },
  { ...ROWS, body: { kind: "object", hasNulls: true } },
  { ...ROWS, body: { kind: "none" } },
  { ...ROWS, body: { kind: "raw", encoding: "hex" } },
  { ...ROWS, body: { kind: "raw", encoding: "text" } },
  { ...ROWS, explain: { format: "text", options: [] } },
  { ...ROWS, explain: { format: "json", options: [] } },
  { ...ROWS, explain: { format: "json", options: ["analyze"] } },
];

const PREFERENCES = [
  "",
  "return=representation",
  "return=headers-only",
  "count=exact",
  "count=planned",
  "resolution=merge-duplicates",
  "resolution=ignore-duplicates",
  "missing=default",
  "handling=strict, max-affected=5",
];

/** Those of names that mean something in a query or a key. */
const LETTERS = Array.from('a1:,()|;-*>" \\f~');

const BODIES = ["{}", "[]", "[{}]", '{"a":1}', '[{"a":1}]', '{"b":1}', '{"a":1,"b":1}'];

function insert(body: string, headers: Record<string, string> = {}): ParameterList {
  return { input: { method: "POST", body: Buffer.from(body), contentType: "application/json", headers } };
}

function assertAllDiffer(keys: readonly string[]): void {
  assert.equal(new Set(keys).size, keys.length);
}

describe("the key of a request shape", () => {
  for (const [one, other] of EQUAL) it(`is one for ${one} and ${other}`, () => assert.equal(keyOf(one), keyOf(other)));
  for (const [one, other] of DIFFERENT) {
    it(`distinguishes ${one} from ${other}`, () => assert.notEqual(keyOf(one), keyOf(other)));
  }

  it("distinguishes methods, schemas and media types", () => {
    const methods = ["GET", "HEAD", "DELETE"].map((method) => keyOf("t", { input: { method } }));
    const schema = keyOf("t", { input: { headers: { "accept-profile": "other" } } });
    assertAllDiffer([...methods, schema]);
    assertAllDiffer(MEDIA.map((media) => keyOf("t", { media })));
  });

  it("contains preferences that change the statement, and no others", () => {
    assertAllDiffer(PREFERENCES.map((prefer) => keyOf("t", insert("{}", { prefer }))));
    for (const prefer of ["timezone=Europe/Berlin", "tx=rollback", "handling=lenient"]) {
      assert.equal(keyOf("t", insert("{}", { prefer })), keyOf("t", insert("{}")));
    }
    const [five, six] = ["5", "6"].map((count) => ({ prefer: `handling=strict, max-affected=${count}` }));
    assert.equal(keyOf("t", insert("{}", five)), keyOf("t", insert("{}", six)));
  });

  it("contains the format of a body and its keys, and no values", () => {
    assertAllDiffer(BODIES.map((body) => keyOf("t", insert(body))));
    assert.equal(keyOf("t", insert('{"a":1}')), keyOf("t", insert('{"a":"x"}')));
    assert.equal(keyOf("t", insert('[{"a":1}]')), keyOf("t", insert('[{"a":1},{"a":2}]')));
  });

  it("contains whether the row cap replaces the limit", () => {
    const none = parameterisedOf("t", { maxRows: 10 }).parameterised;
    const more = parameterisedOf("t?limit=11", { maxRows: 10 }).parameterised;
    const fewer = parameterisedOf("t?limit=10", { maxRows: 10 }).parameterised;
    assert.deepEqual([none.isCapped, more.isCapped, fewer.isCapped], [true, true, false]);
    assert.equal(none.key, more.key);
    assert.notEqual(more.key, fewer.key);
    assert.notEqual(none.key, keyOf("t"));
  });

  it("distinguishes two names from their concatenation", () => {
    const both = keyOf("t?select=first,last");
    const written = both.slice(both.indexOf("first"), both.indexOf("last") + "last".length);
    assert.notEqual(keyOf(`t?select=${encodeURIComponent(`"${written}"`)}`), both);
  });

  it("is unambiguous for any names", () => {
    const name = fc.string({ minLength: 1, maxLength: 6, unit: fc.constantFrom(...LETTERS) });
    const names = fc.array(name, { minLength: 1, maxLength: 3 });
    const quote = (word: string) => encodeURIComponent(`"${word.replace(/["\\]/g, "\\$&")}"`);
    const selecting = (words: readonly string[]) => keyOf(`t?select=${words.map(quote).join(",")}`);
    fc.assert(
      fc.property(names, names, (one, other) => {
        assert.equal(selecting(one) === selecting(other), JSON.stringify(one) === JSON.stringify(other));
      }),
    );
  });
});

describe("parameterised values", () => {
  it("are in the order of the request, as text input of PostgreSQL", () => {
    const url =
      't?a=eq.x&b=in.(1,"a,b",c"d,e\\f)&c=like.a*b&d=ilike(any).{*x,y}&e=is.null&f=fts(english).w&limit=3&offset=4';
    assert.deepEqual(parameterisedOf(url).parameterised.values, [
      "x",
      '{"1","a,b","c\\"d","e\\\\f"}',
      "a%b",
      "{%x,y}",
      "w",
      "english",
      "3",
      "4",
    ]);
  });

  it("are an empty array for an empty list", () => {
    assert.deepEqual(parameterisedOf("t?a=in.()").parameterised.values, ["{}"]);
  });

  it("are found by the part of the request that they come from", () => {
    const { request, parameterised } = parameterisedOf(
      "t?select=r(*)&or=(a.eq.1,b.fts(simple).w)&offset=5&r.limit=6&r.offset=7&r.c=gt.8",
    );
    const { placeholders, values } = parameterised;
    const { root, embeds } = request.query;
    const [logic] = root.conditions;
    assert.ok(logic?.kind === "logic");
    const [first, second] = logic.conditions;
    assert.ok(first?.kind === "filter" && second?.kind === "filter");
    assert.equal(values[placeholders.operand(first.operation)], "1");
    assert.equal(values[placeholders.operand(second.operation)], "w");
    assert.equal(values[placeholders.config(second.operation)], "simple");
    assert.equal(placeholders.limit(root), null);
    assert.equal(values[placeholders.offset(root) ?? -1], "5");
    const modifiers = embeds[0]?.modifiers;
    const condition = modifiers?.conditions[0];
    assert.ok(modifiers !== undefined && condition?.kind === "filter");
    assert.equal(values[placeholders.limit(modifiers) ?? -1], "6");
    assert.equal(values[placeholders.offset(modifiers) ?? -1], "7");
    assert.equal(values[placeholders.operand(condition.operation)], "8");
    assert.throws(() => placeholders.body());
    assert.throws(() => placeholders.argument(0));
  });

  it("contain no limit that the row cap replaces", () => {
    const { request, parameterised } = parameterisedOf("t?select=r(*)&limit=50&offset=3&r.limit=99", { maxRows: 10 });
    const { placeholders, values } = parameterised;
    const { root, embeds } = request.query;
    assert.equal(placeholders.limit(root), null);
    assert.deepEqual(values, ["3"]);
    assert.equal(values[placeholders.offset(root) ?? -1], "3");
    assert.equal(embeds[0] === undefined ? -1 : placeholders.limit(embeds[0].modifiers), null);
  });

  it("of writes are never capped", () => {
    const { parameterised } = parameterisedOf("t", { maxRows: 10, ...insert('{"a":1}') });
    assert.equal(parameterised.isCapped, false);
    assert.deepEqual(parameterised.values, ['{"a":1}']);
    assert.equal(parameterisedOf("t", { maxRows: 10, input: { method: "DELETE" } }).parameterised.isCapped, false);
  });

  it("of calls are arguments, fields of a form, or the body", () => {
    const call = parameterisedOf("rpc/f?a=1&b=eq.2").parameterised;
    assert.deepEqual(
      [0, 1].map((index) => call.values[call.placeholders.argument(index)]),
      ["1", "eq.2"],
    );
    const body = Buffer.from("a=1&a=2");
    const form = parameterisedOf("rpc/f", {
      input: { method: "POST", body, contentType: "application/x-www-form-urlencoded" },
    });
    assert.deepEqual(
      [0, 1].map((index) => form.parameterised.values[form.parameterised.placeholders.argument(index)]),
      ["1", "2"],
    );
    const raw = (contentType: string) =>
      parameterisedOf("rpc/f", { input: { method: "POST", body: Buffer.from("ü"), contentType } }).parameterised.values;
    assert.deepEqual(raw("application/octet-stream"), ["\\xc3bc"]);
    assert.deepEqual(raw("text/plain"), ["ü"]);
  });

  it("contain max-affected", () => {
    const { parameterised } = parameterisedOf("t", insert("{}", { prefer: "handling=strict, max-affected=5" }));
    assert.equal(parameterised.values[parameterised.placeholders.maxAffected()], "5");
  });
});
