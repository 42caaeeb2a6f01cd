import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Condition } from "../../src/rest/parse/parsed-request.ts";
import { captureParsed } from "./support/capture.ts";
import { field, filter, operation, textArrow } from "./support/parsing.ts";

type Call = Parameters<typeof captureParsed>[0];

async function conditionsOf(call: Call): Promise<readonly Condition[]> {
  return (await captureParsed(call)).query.root.conditions;
}

function any(...conditions: readonly Condition[]): Condition {
  return { kind: "logic", operator: "or", isNegated: false, conditions };
}

describe("filters of supabase-js", () => {
  const FILTERS: readonly (readonly [string, Call, Condition])[] = [
    ["eq", (client) => client.from("t").select().eq("a", "x,y (z)"), filter("a", operation("eq", "x,y (z)"))],
    ["neq", (client) => client.from("t").select().neq("a", 1), filter("a", operation("neq", "1"))],
    ["gt", (client) => client.from("t").select().gt("a", 1), filter("a", operation("gt", "1"))],
    ["gte", (client) => client.from("t").select().gte("a", 1), filter("a", operation("gte", "1"))],
    ["lt", (client) => client.from("t").select().lt("a", 1), filter("a", operation("lt", "1"))],
    ["lte", (client) => client.from("t").select().lte("a", 1), filter("a", operation("lte", "1"))],
    ["like", (client) => client.from("t").select().like("a", "%x+%"), filter("a", operation("like", "%x+%"))],
    [
      "likeAllOf",
      (client) => client.from("t").select().likeAllOf("a", ["%x", "y%"]),
      filter("a", operation("like", "{%x,y%}", { quantifier: "all" })),
    ],
    [
      "ilikeAnyOf",
      (client) => client.from("t").select().ilikeAnyOf("a", ["%x", "y%"]),
      filter("a", operation("ilike", "{%x,y%}", { quantifier: "any" })),
    ],
    [
      "regexMatch",
      (client) => client.from("t").select().regexMatch("a", "^x.$"),
      filter("a", operation("match", "^x.$")),
    ],
    [
      "regexIMatch",
      (client) => client.from("t").select().regexIMatch("a", "^x"),
      filter("a", operation("imatch", "^x")),
    ],
    ["is null", (client) => client.from("t").select().is("a", null), filter("a", operation("is", "null"))],
    ["is true", (client) => client.from("t").select().is("a", true), filter("a", operation("is", "true"))],
    ["isDistinct", (client) => client.from("t").select().isDistinct("a", 1), filter("a", operation("isdistinct", "1"))],
    [
      "in",
      (client) => client.from("t").select().in("a", [1, "b c", "d,e", "(f)"]),
      filter("a", operation("in", ["1", "b c", "d,e", "(f)"])),
    ],
    ["in nothing", (client) => client.from("t").select().in("a", []), filter("a", operation("in", []))],
    [
      "in with a quote",
      (client) => client.from("t").select().in("a", ['x"y', 'z"']),
      filter("a", operation("in", ['x"y', 'z"'])),
    ],
    [
      "notIn",
      (client) => client.from("t").select().notIn("a", [1, 2]),
      filter("a", operation("in", ["1", "2"], { isNegated: true })),
    ],
    [
      "contains a list",
      (client) => client.from("t").select().contains("a", ["x", "y"]),
      filter("a", operation("cs", "{x,y}")),
    ],
    [
      "contains an object",
      (client) =>
        client
          .from("t")
          .select()
          .contains("a", { b: [1] }),
      filter("a", operation("cs", '{"b":[1]}')),
    ],
    ["containedBy", (client) => client.from("t").select().containedBy("a", ["x"]), filter("a", operation("cd", "{x}"))],
    ["overlaps", (client) => client.from("t").select().overlaps("a", "[1,2)"), filter("a", operation("ov", "[1,2)"))],
    ["rangeGt", (client) => client.from("t").select().rangeGt("a", "[1,2)"), filter("a", operation("sr", "[1,2)"))],
    ["rangeGte", (client) => client.from("t").select().rangeGte("a", "[1,2)"), filter("a", operation("nxl", "[1,2)"))],
    ["rangeLt", (client) => client.from("t").select().rangeLt("a", "[1,2)"), filter("a", operation("sl", "[1,2)"))],
    ["rangeLte", (client) => client.from("t").select().rangeLte("a", "[1,2)"), filter("a", operation("nxr", "[1,2)"))],
    [
      "rangeAdjacent",
      (client) => client.from("t").select().rangeAdjacent("a", "[1,2)"),
      filter("a", operation("adj", "[1,2)")),
    ],
    [
      "textSearch",
      (client) => client.from("t").select().textSearch("a", "x & y"),
      filter("a", operation("fts", "x & y")),
    ],
    [
      "textSearch of a kind",
      (client) => client.from("t").select().textSearch("a", "x y", { type: "websearch", config: "english" }),
      filter("a", operation("wfts", "x y", { config: "english" })),
    ],
    [
      "not",
      (client) => client.from("t").select().not("a", "is", null),
      filter("a", operation("is", "null", { isNegated: true })),
    ],
    [
      "filter",
      (client) => client.from("t").select().filter("d->>k", "in", '("x","y")'),
      filter(field("d", textArrow("k")), operation("in", ["x", "y"])),
    ],
    [
      "or",
      (client) => client.from("t").select().or('a.eq.1,and(b.cs.{x,y},not.or(c.is.null)),d.eq."x,y"'),
      any(
        filter("a", operation("eq", "1")),
        {
          kind: "logic",
          operator: "and",
          isNegated: false,
          conditions: [
            filter("b", operation("cs", "{x,y}")),
            { kind: "logic", operator: "or", isNegated: true, conditions: [filter("c", operation("is", "null"))] },
          ],
        },
        filter("d", operation("eq", "x,y")),
      ),
    ],
  ];
  for (const [name, call, condition] of FILTERS) {
    it(`are taken: ${name}`, async () => {
      assert.deepEqual(await conditionsOf(call), [condition]);
    });
  }

  it("repeat on one column", async () => {
    const conditions = await conditionsOf((client) =>
      client.from("t").select().gt("a", 1).lt("a", 9).match({ b: 2, c: 3 }),
    );
    assert.deepEqual(conditions, [
      filter("a", operation("gt", "1")),
      filter("a", operation("lt", "9")),
      filter("b", operation("eq", "2")),
      filter("c", operation("eq", "3")),
    ]);
  });

  it("reach into embeds", async () => {
    const { query } = await captureParsed((client) =>
      client.from("t").select("*,r(*,s(*))").eq("r.a", 1).or("b.eq.2,c.eq.3", { referencedTable: "r.s" }),
    );
    assert.deepEqual(
      query.embeds.map(({ path, modifiers }) => [path, modifiers.conditions]),
      [
        [["r"], [filter("a", operation("eq", "1"))]],
        [["r", "s"], [any(filter("b", operation("eq", "2")), filter("c", operation("eq", "3")))]],
      ],
    );
  });
});
