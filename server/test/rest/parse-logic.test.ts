import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Condition, LogicCondition } from "../../src/rest/parse/parsed-request.ts";
import { field, filter, operation, parseParameters, rejectionOf, textArrow } from "./support/parsing.ts";

function all(...conditions: readonly Condition[]): LogicCondition {
  return { kind: "logic", operator: "and", isNegated: false, conditions };
}

function any(...conditions: readonly Condition[]): LogicCondition {
  return { kind: "logic", operator: "or", isNegated: false, conditions };
}

function none(logic: LogicCondition): LogicCondition {
  return { ...logic, isNegated: true };
}

const A = filter("a", operation("eq", "1"));
const B = filter("b", operation("gt", "2"));

const TAKEN: readonly (readonly [string, readonly Condition[]])[] = [
  ["(a.eq.1)", [A]],
  ["(a.eq.1,b.gt.2)", [A, B]],
  [" ( a.eq.1, b.gt.2) ", [A, B]],
  ["(and(a.eq.1,b.gt.2))", [all(A, B)]],
  ["(not.or(a.eq.1,not.and(b.gt.2)),a.eq.1)", [none(any(A, none(all(B)))), A]],
  ["(or (a.eq.1))", [any(A)]],
  ["(and.eq.1)", [filter("and", operation("eq", "1"))]],
  ["(not.eq.1)", [filter("not", operation("eq", "1"))]],
  ['("and".eq.1)', [filter("and", operation("eq", "1"))]],
  ["(order.eq.1)", [filter("order", operation("eq", "1"))]],
  ["(a.not.eq.1)", [filter("a", operation("eq", "1", { isNegated: true }))]],
  ["(a.eq.)", [filter("a", operation("eq", ""))]],
  ["(a.eq.x y )", [filter("a", operation("eq", "x y "))]],
  ["(a.eq.1.5)", [filter("a", operation("eq", "1.5"))]],
  ['(a.eq."x,y)","b".gt.2)', [filter("a", operation("eq", "x,y)")), B]],
  ['(a.eq."x\\"y")', [filter("a", operation("eq", 'x"y'))]],
  ['(a.eq."x"y)', [filter("a", operation("eq", '"x"y'))]],
  ['(a.eq."x)', [filter("a", operation("eq", '"x'))]],
  ["(a.cs.{1,2},b.gt.2)", [filter("a", operation("cs", "{1,2}")), B]],
  ["(a.cs.{{1,2},{3,4}})", [filter("a", operation("cs", "{{1,2},{3,4}}"))]],
  ['(a.cs.{"x":{"y":[1,2]}})', [filter("a", operation("cs", '{"x":{"y":[1,2]}}'))]],
  ["(a.eq.{x}y)", [filter("a", operation("eq", "{x}y"))]],
  ["(a.eq.{x)", [filter("a", operation("eq", "{x"))]],
  ["(a.eq(any).{1,2})", [filter("a", operation("eq", "{1,2}", { quantifier: "any" }))]],
  ['(a.in.(1,"2,3"),b.gt.2)', [filter("a", operation("in", ["1", "2,3"])), B]],
  ["(a.in.())", [filter("a", operation("in", []))]],
  ["(a.is.NULL,b.gt.2)", [filter("a", operation("is", "null")), B]],
  ["(a.fts(english).x)", [filter("a", operation("fts", "x", { config: "english" }))]],
  ["(a->>b.eq.1)", [filter(field("a", textArrow("b")), operation("eq", "1"))]],
];

const REJECTED: readonly (readonly [string, number])[] = [
  ["", 1],
  [".eq.5", 1],
  ["a.eq.1", 1],
  ["()", 2],
  ["(a)", 3],
  ["(a.eq)", 6],
  ["(a.eq.1", 8],
  ["(a.eq.1,)", 9],
  ["(a.eq.1)x", 9],
  ["(a.b.eq.1)", 4],
  ["(a.in.1,2)", 7],
  ["(a.is.nulls)", 7],
  ["(a.is.null.x)", 11],
  ["(ord(a.eq.1))", 5],
  ["(not.xor(a.eq.1))", 6],
  ["(and())", 6],
  [")(", 1],
];

describe("a logic tree", () => {
  for (const [text, conditions] of TAKEN) {
    it(`takes ${JSON.stringify(text)}`, () => {
      assert.deepEqual(parseParameters(["or", text]).root.conditions, [any(...conditions)]);
    });
  }

  for (const [text, columnNumber] of REJECTED) {
    it(`rejects ${JSON.stringify(text)}`, () => {
      const { code, message } = rejectionOf(() => parseParameters(["or", text]));
      assert.equal(code, "PGRST100");
      assert.equal(message, `"failed to parse logic tree (${text})" (line 1, column ${columnNumber})`);
    });
  }

  it("may be a conjunction, be negated, belong to an embed, and repeat", () => {
    const { root, embeds } = parseParameters(
      ["and", "(a.eq.1)"],
      ["not.or", "(a.eq.1)"],
      ["not.and", "(b.gt.2)"],
      ["r.or", "(a.eq.1)"],
      ["r.s.not.and", "(b.gt.2)"],
      ["or", "(b.gt.2)"],
    );
    assert.deepEqual(root.conditions, [all(A), none(any(A)), none(all(B)), any(B)]);
    assert.deepEqual(
      embeds.map(({ path, modifiers }) => [path, modifiers.conditions]),
      [
        [["r"], [any(A)]],
        [["r", "s"], [none(all(B))]],
      ],
    );
  });

  it("is accepted up to the maximum depth", () => {
    const nest = (depth: number) => `${"(or".repeat(depth - 1)}(a.eq.1)${")".repeat(depth - 1)}`;
    assert.equal(parseParameters(["or", nest(50)]).root.conditions.length, 1);
    assert.match(String(rejectionOf(() => parseParameters(["or", nest(51)])).details), /at most 50 deep/);
    assert.equal(rejectionOf(() => parseParameters(["or", "(or".repeat(300_000)])).code, "PGRST100");
  });

  it("rejects an invalid path", () => {
    assert.match(
      rejectionOf(() => parseParameters(["a!.or", "(a.eq.1)"])).message,
      /^"failed to parse logic path \(a!\.or\)"/,
    );
  });
});
