import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { OrderTerm } from "../../src/rest/parse/parsed-request.ts";
import { arrow, field, parseParameters, rejectionOf, textArrow } from "./support/parsing.ts";

function term(name: string | OrderTerm["field"], rest: Partial<OrderTerm> = {}): OrderTerm {
  const usual = { relation: null, direction: null, nulls: null };
  return { ...usual, field: typeof name === "string" ? field(name) : name, ...rest };
}

const TAKEN: readonly (readonly [string, readonly OrderTerm[]])[] = [
  ["a", [term("a")]],
  ["a.asc", [term("a", { direction: "asc" })]],
  ["a.desc.nullslast", [term("a", { direction: "desc", nulls: "last" })]],
  ["a.nullsfirst", [term("a", { nulls: "first" })]],
  [" a.asc , b.desc ", [term("a", { direction: "asc" }), term("b", { direction: "desc" })]],
  ['"a.desc".asc', [term("a.desc", { direction: "asc" })]],
  ["a->b->>c.desc", [term(field("a", arrow("b"), textArrow("c")), { direction: "desc" })]],
  ["a->0.desc", [term(field("a", arrow(0)), { direction: "desc" })]],
  ["r(a)", [term("a", { relation: "r" })]],
  ["r(a->0).desc.nullsfirst", [term(field("a", arrow(0)), { relation: "r", direction: "desc", nulls: "first" })]],
  ["a,r(b),c", [term("a"), term("b", { relation: "r" }), term("c")]],
];

const REJECTED: readonly (readonly [string, number, string])[] = [
  ["", 1, "unexpected end of input expecting field name (* or [a..z0..9_$])"],
  ["a,", 3, "unexpected end of input expecting field name (* or [a..z0..9_$])"],
  ["a.ac", 3, 'unexpected "a" expecting "asc", "desc", "nullsfirst" or "nullslast"'],
  ["a.descc", 7, 'unexpected "c" expecting delimiter (.), "," or end of input'],
  ["a.asc.smth", 7, 'unexpected "s" expecting "nullsfirst" or "nullslast"'],
  ["a.asc.desc", 7, 'unexpected "d" expecting "nullsfirst" or "nullslast"'],
  ["a.nullslast.desc", 12, 'unexpected "." expecting "," or end of input'],
  ["r(a,b)", 4, 'unexpected "," expecting "->>", "->" or ")"'],
  ["r()", 3, 'unexpected ")" expecting field name (* or [a..z0..9_$])'],
  ["a b)", 4, 'unexpected ")" expecting delimiter (.), "," or end of input'],
];

describe("order", () => {
  for (const [text, terms] of TAKEN) {
    it(`takes ${JSON.stringify(text)}`, () => {
      assert.deepEqual(parseParameters(["order", text]).root.order, terms);
    });
  }

  for (const [text, columnNumber, details] of REJECTED) {
    it(`rejects ${JSON.stringify(text)}`, () => {
      const message = `"failed to parse order (${text})" (line 1, column ${columnNumber})`;
      assert.deepEqual(
        rejectionOf(() => parseParameters(["order", text])),
        { code: "PGRST100", status: 400, message, details },
      );
    });
  }

  it("may belong to an embed, and repeated parameters append terms", () => {
    const { root, embeds } = parseParameters(["order", "a"], ["r.order", "x"], ["order", "b"]);
    assert.deepEqual(root.order, [term("a"), term("b")]);
    assert.deepEqual(embeds[0]?.path, ["r"]);
    assert.deepEqual(embeds[0]?.modifiers.order, [term("x")]);
  });
});

describe("columns and on_conflict", () => {
  it("are lists of names, each once", () => {
    const { columns, onConflict } = parseParameters(["columns", '"a","b c", d,"a"'], ["on_conflict", "x, y-z"]);
    assert.deepEqual(columns, ["a", "b c", "d"]);
    assert.deepEqual(onConflict, ["x", "y-z"]);
    assert.deepEqual([parseParameters().columns, parseParameters().onConflict], [null, null]);
  });

  for (const text of ["", "a,", ",a", "a.b", "a;b", '"a', "a(b)", "*"]) {
    it(`are rejected as ${JSON.stringify(text)}`, () => {
      const columns = rejectionOf(() => parseParameters(["columns", text]));
      assert.equal(columns.code, "PGRST100");
      assert.ok(columns.message.startsWith(`"failed to parse columns parameter (${text})"`));
      const onConflict = rejectionOf(() => parseParameters(["on_conflict", text]));
      assert.ok(onConflict.message.startsWith(`"failed to parse on_conflict parameter (${text})"`));
    });
  }
});
