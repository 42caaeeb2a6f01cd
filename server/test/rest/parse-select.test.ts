import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { SelectItem } from "../../src/rest/parse/parsed-request.ts";
import { parseSelect } from "../../src/rest/parse/parse-select.ts";
import { arrow, column, embed, field, parse, rejectionOf, STAR, textArrow } from "./support/parsing.ts";

const TAKEN: readonly (readonly [string, readonly SelectItem[]])[] = [
  ["", []],
  ["  ", []],
  ["*", [STAR]],
  [" * , a ", [STAR, column("a")]],
  ["a,b", [column("a"), column("b")]],
  ["a b", [column("a b")]],
  ["first-name", [column("first-name")]],
  ["ünï_çode$1", [column("ünï_çode$1")]],
  ["名前", [column("名前")]],
  ['"a.b"', [column("a.b")]],
  ['"say \\"hi\\" \\\\ ok"', [column('say "hi" \\ ok')]],
  ['" padded "', [column(" padded ")]],
  ["x:a", [column("a", { alias: "x" })]],
  ['"x:y":a', [column("a", { alias: "x:y" })]],
  ["a::text", [column("a", { cast: "text" })]],
  ["x:a::double precision", [column("a", { alias: "x", cast: "double precision" })]],
  ["a->b", [column(field("a", arrow("b")))]],
  ["a->>b", [column(field("a", textArrow("b")))]],
  ["a->0->>-2", [column(field("a", arrow(0), textArrow(-2)))]],
  ["a->-0", [column(field("a", arrow(0)))]],
  ["a->99999999999", [column(field("a", arrow(2147483647)))]],
  ["a->1st", [column(field("a", arrow("1st")))]],
  ["a->1-2", [column(field("a", arrow("1-2")))]],
  ["a->b-c->d", [column(field("a", arrow("b-c"), arrow("d")))]],
  ['a->"1"', [column(field("a", arrow("1")))]],
  ['a->""', [column(field("a", arrow("")))]],
  ['a->"x.y"->>!@#$%^&*_a', [column(field("a", arrow("x.y"), textArrow("!@#$%^&*_a")))]],
  ["x:a->>b::int", [column(field("a", textArrow("b")), { alias: "x", cast: "int" })]],
  ["a.sum()", [column("a", { aggregate: "sum" })]],
  ["a.avg()::int", [column("a", { aggregate: "avg", aggregateCast: "int" })]],
  ["a::numeric.max()", [column("a", { cast: "numeric", aggregate: "max" })]],
  ["a->b::int.min()::text", [column(field("a", arrow("b")), { cast: "int", aggregate: "min", aggregateCast: "text" })]],
  ["n:a.count()", [column("a", { alias: "n", aggregate: "count" })]],
  ["count()", [{ kind: "count", alias: null, cast: null }]],
  ["n:count()::text", [{ kind: "count", alias: "n", cast: "text" }]],
  ["count", [column("count")]],
  ["count:a", [column("a", { alias: "count" })]],
  ["r(*)", [embed("r", [STAR])]],
  ["r()", [embed("r", [])]],
  ["r( )", [embed("r", [])]],
  ["r(a,s(b))", [embed("r", [column("a"), embed("s", [column("b")])])]],
  ["r(a->0)", [embed("r", [column(field("a", arrow(0)))])]],
  ["x:r(a),b", [embed("r", [column("a")], { alias: "x" }), column("b")]],
  ["r!h(a)", [embed("r", [column("a")], { hint: "h" })]],
  ["r!inner(a)", [embed("r", [column("a")], { join: "inner" })]],
  ["r!left(a)", [embed("r", [column("a")])]],
  ["r!h!inner(a)", [embed("r", [column("a")], { hint: "h", join: "inner" })]],
  ["x:r!inner!h(a)", [embed("r", [column("a")], { alias: "x", hint: "h", join: "inner" })]],
  ["r!innermost(a)", [embed("r", [column("a")], { hint: "innermost" })]],
  ['r!"inner"(a)', [embed("r", [column("a")], { hint: "inner" })]],
  ["...r(a)", [embed("r", [column("a")], { isSpread: true })]],
  [
    "...r!h!inner(a,...s(b))",
    [
      embed("r", [column("a"), embed("s", [column("b")], { isSpread: true })], {
        isSpread: true,
        hint: "h",
        join: "inner",
      }),
    ],
  ],
];

/** Text, the position where parsing stopped, and the unexpected character. */
const REJECTED: readonly (readonly [string, number, string])[] = [
  [",", 1, '","'],
  ["a,", 3, "end of input"],
  ["a,,b", 3, '","'],
  ["a b)", 4, '")"'],
  ["a[]", 2, '"["'],
  ["a!h", 4, "end of input"],
  ["*!h", 2, '"!"'],
  ["x:*", 3, '"*"'],
  ["a::", 4, "end of input"],
  ["a::text[]", 8, '"["'],
  ["a::int::text", 7, '":"'],
  ["a.median()", 3, '"m"'],
  ["a.sum", 6, "end of input"],
  ["count(a)", 6, '"("'],
  ["a->>-78xy", 8, '"x"'],
  ["a->--3", 5, '"-"'],
  ["a->", 4, "end of input"],
  ["a->.b", 4, '"."'],
  ["a-", 3, "end of input"],
  ["a--b", 3, '"-"'],
  ['"', 2, "end of input"],
  ['"a\\', 4, "end of input"],
  ['""', 1, '"\\""'],
  ["r(", 3, "end of input"],
  ["r(a", 4, "end of input"],
  ["r(a))", 5, '")"'],
  ["r(a)b", 5, '"b"'],
  ["r->x(a)", 5, '"("'],
  ["x:...r(a)", 3, '"."'],
  ["...r", 5, "end of input"],
  ["r!a!b(c)", 4, '"!"'],
  ["r!inner!left!h(c)", 13, '"!"'],
  ["名(", 3, "end of input"],
];

describe("select", () => {
  for (const [text, items] of TAKEN) {
    it(`takes ${JSON.stringify(text)}`, () => {
      assert.deepEqual(parseSelect(text), items);
    });
  }

  for (const [text, columnNumber, unexpected] of REJECTED) {
    it(`rejects ${JSON.stringify(text)}`, () => {
      const { code, status, message, details } = rejectionOf(() => parseSelect(text));
      assert.deepEqual([code, status], ["PGRST100", 400]);
      assert.equal(message, `"failed to parse select parameter (${text})" (line 1, column ${columnNumber})`);
      assert.ok(String(details).startsWith(`unexpected ${unexpected} expecting `), String(details));
    });
  }

  it("selects all columns when absent, and none when empty", () => {
    assert.deepEqual(parse({ search: "" }).query.select, [STAR]);
    assert.deepEqual(parse({ search: "?select" }).query.select, [STAR]);
    assert.deepEqual(parse({ search: "?select=" }).query.select, []);
  });

  it("reports positions in lines and code points", () => {
    assert.match(rejectionOf(() => parseSelect("𝒳,\n!")).message, /\(line 1, column 3\)$/);
    assert.match(rejectionOf(() => parseSelect('"a\nb"!')).message, /\(line 2, column 4\)$/);
  });

  it("accepts embeds up to the maximum depth", () => {
    const nest = (depth: number) => `${"r(".repeat(depth)}*${")".repeat(depth)}`;
    assert.equal(parseSelect(nest(50)).length, 1);
    assert.match(String(rejectionOf(() => parseSelect(nest(51))).details), /at most 50 deep/);
    assert.equal(rejectionOf(() => parseSelect("r(".repeat(1_000_000))).code, "PGRST100");
  });

  it("bounds the number of items and of steps in a JSON path", () => {
    assert.equal(rejectionOf(() => parseSelect("a,".repeat(100_000))).code, "PGRST100");
    assert.equal(rejectionOf(() => parseSelect(`a${"->b".repeat(51)}`)).code, "PGRST100");
  });

  it("shortens the text in the message", () => {
    assert.ok(rejectionOf(() => parseSelect(`${"a".repeat(100_000)}!`)).message.length < 1200);
  });
});
