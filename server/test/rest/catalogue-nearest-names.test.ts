import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { nearestNames } from "../../src/rest/catalogue/nearest-names.ts";

const TABLES = ["agents", "agent_tools", "tools", "swarms", "swarm_members", "messages", "runs", "t"];

describe("nearest names", () => {
  const cases: readonly (readonly [wanted: string, expected: readonly string[]])[] = [
    ["agent", ["agents"]],
    ["agnets", ["agents"]],
    ["Agents", ["agents"]],
    ["tool", ["tools"]],
    ["swarm_member", ["swarm_members"]],
    ["swrm_membrs", ["swarm_members"]],
    ["message", ["messages"]],
    ["customers", []],
    ["agents", []],
    ["x", []],
    ["", []],
    ["a".repeat(10_000), []],
  ];
  for (const [wanted, expected] of cases) {
    it(`of ${wanted.slice(0, 20) || "nothing"}`, () => {
      assert.deepEqual(nearestNames(wanted, TABLES), expected);
    });
  }

  it("are sorted by distance and limited in number", () => {
    assert.deepEqual(nearestNames("tags", ["tugs", "tag", "bags", "tagging"], { maxCount: 5 }), [
      "bags",
      "tag",
      "tugs",
    ]);
    assert.deepEqual(nearestNames("accounts", ["accountss", "acounst", "accounts_old"], { maxCount: 2 }), [
      "accountss",
      "acounst",
    ]);
  });

  it("may differ in a quarter of a long name", () => {
    const names = ["get_daily_statistics_of_platform"];
    assert.deepEqual(nearestNames("get_day_statistics_of_platforms_", names), names);
    assert.deepEqual(nearestNames("get_hourly_tables_of_platform", names), []);
  });

  it("find a name with one typing error", () => {
    const word = fc.string({ unit: fc.constantFrom("a", "b", "c", "d", "e", "f", "_"), minLength: 4, maxLength: 60 });
    fc.assert(
      fc.property(word, fc.nat(), fc.constantFrom("drop", "double", "swap", "change"), (name, place, slip) => {
        const at = place % (name.length - 1);
        const [before, one = "", two = "", after] = [name.slice(0, at), name[at], name[at + 1], name.slice(at + 2)];
        const forms = { drop: two, double: one + one + two, swap: two + one, change: `#${two}` };
        const slipped = before + forms[slip] + after;
        assert.deepEqual(nearestNames(slipped, [name]), slipped === name ? [] : [name]);
      }),
    );
  });

  it("are computed in bounded time", () => {
    const names = Array.from(
      { length: 100_000 },
      (_, place) => `some_rather_long_table_name_of_a_large_schema_${place}`,
    );
    // Of this process only: the clock on the wall runs on while others have the machine.
    const started = process.cpuUsage();
    nearestNames("some_rather_long_table_nmae_of_a_large_schema", names);
    const { user } = process.cpuUsage(started);
    assert.ok(user < 200_000, `${user} µs`);
  });
});
