import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { compileLike } from "../../src/operators/compile-like.ts";
import { parseChangeFilter } from "../../src/realtime/visibility/filters/parse-change-filter.ts";
import { bind, principalOf, openFeedStage } from "./feed-stage.ts";

describe("reading a filter", () => {
  const term = (column: string, operator: string, values: readonly string[], isNegated = false) => ({
    column,
    isNegated,
    operator,
    values,
  });
  for (const [text, expected] of [
    ["", []],
    ["id=eq.5", [term("id", "eq", ["5"])]],
    ["id=not.eq.5", [term("id", "eq", ["5"], true)]],
    ["a=eq.1.5,b=neq.x y", [term("a", "eq", ["1.5"]), term("b", "neq", ["x y"])]],
    ['a=eq."x,\\"y\\\\",b=is.NULL', [term("a", "eq", ['x,"y\\']), term("b", "is", ["null"])]],
    ['a=in.(1,"b,)",c d)', [term("a", "in", ["1", "b,)", "c d"])]],
    ["a=not.in.(),b=like.%x_", [term("a", "in", [], true), term("b", "like", ["%x_"])]],
    ["a=in.(,1,)", [term("a", "in", ["", "1", ""])]],
    ["a=ilike.f*", [term("a", "ilike", ["f%"])]],
    ["a=is.not_null", [term("a", "is", ["not_null"])]],
    ["a=eq.", [term("a", "eq", [""])]],
    ["at=gte.2026-01-01T00:00:00+00:00", [term("at", "gte", ["2026-01-01T00:00:00+00:00"])]],
  ] as const)
    it(text, () => assert.deepEqual(parseChangeFilter(text), expected));

  for (const text of [
    "a",
    "=eq.1",
    "a=eq",
    "a=foo.1",
    ",",
    "a=eq.1,",
    ",a=eq.1",
    "a=eq.1,,b=eq.2",
    "a=is.maybe",
    "a=in.1",
    "a=in.(1",
    "a=in.(1)x",
    'a=eq."x',
    'a=eq."x"y',
    "or=(a.eq.1,b.eq.2)",
    "a=not.not.eq.1",
    "a=match.\0",
    "a=toString.1",
  ])
    it(`rejects ${JSON.stringify(text)}`, () =>
      assert.throws(() => parseChangeFilter(text), { code: "VALIDATION_ERROR" }));

  it("never fails in another way", () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        try {
          parseChangeFilter(text);
        } catch (error) {
          assert.equal((error as { code?: string }).code, "VALIDATION_ERROR");
        }
      }),
    );
  });
});

describe("patterns", () => {
  it("take no more time than a text is long, times the pattern", () => {
    const before = process.threadCpuUsage();
    assert.equal(compileLike(`${"%a".repeat(90)}%b`, true)?.("a".repeat(100_000)), false);
    assert.ok(process.threadCpuUsage(before).user < 4_000_000);
  });
});

describe("filters", () => {
  const opened = openFeedStage();

  it("are held against the old row when it is deleted", async () => {
    const { stage, node } = opened;
    const user = await stage.newUser();
    const [kept, other] = [await stage.newAgent(user), await stage.newAgent(user)];
    const listener = await stage.subscribe(node, principalOf(user), [
      bind("agents", { event: "DELETE", filter: `id=eq.${kept}` }),
    ]);
    const blind = await stage.subscribe(node, principalOf(user), [
      bind("agents", { event: "DELETE", filter: "name=not.is.null" }),
    ]);
    await stage.remove(user, "agents", other);
    await stage.remove(user, "agents", kept);
    assert.deepEqual((await listener.next())[0]?.old_record, { id: kept, user_id: user });
    await stage.settle(node);
    // The WAL does not keep the name of a deleted agent.
    assert.deepEqual(blind.received, []);
  });
});
