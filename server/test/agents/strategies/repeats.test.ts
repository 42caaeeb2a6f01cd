import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import { createRepeatGuard, repeatsItself } from "../../../src/agents/strategies/loops.ts";

describe("identical tool calls", () => {
  test("the third is rejected as a repeat, the fourth is a loop", () => {
    const check = createRepeatGuard();
    const inputs = [
      '{"a":1,"b":[1,{"x":null,"y":2}]}',
      ' {"b":[1,{"y":2,"x":null}],"a":1.0}',
      '{"a":1,"b":[1,{"x":null,"y":2}]}',
    ];
    assert.deepEqual(
      inputs.map((input) => check("search", input)),
      ["run", "run", "repeat"],
    );
    assert.equal(check("search", inputs[1] ?? ""), "loop");
    assert.equal(check("search", inputs[1] ?? ""), "loop");
    assert.equal(check("other", inputs[0] ?? ""), "run");
  });

  const pairs: readonly (readonly [one: string, other: string, isSame: boolean])[] = [
    ["", "{}", true],
    ["not json", " not json ", true],
    ['{"a":[1,2]}', '{"a":[2,1]}', false],
    ['{"a":"1"}', '{"a":1}', false],
    ['{"__proto__":1}', "{}", false],
    ['{"a":{}}', '{"a":[]}', false],
    ["[".repeat(50_000), "[".repeat(50_001), false],
    [`${"[".repeat(50_000)}${"]".repeat(50_000)}`, `${"[".repeat(50_000)}${"]".repeat(50_000)}`, true],
  ];
  for (const [one, other, isSame] of pairs)
    test(`${one.slice(0, 20)} and ${other.slice(0, 20)}`, () => {
      const check = createRepeatGuard();
      for (const input of [one, other]) assert.equal(check("t", input), "run");
      assert.equal(check("t", one), isSame ? "repeat" : "run");
    });

  test("the order of keys does not matter", () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (input) => {
        const check = createRepeatGuard();
        const turned = `{${Object.entries(input)
          .toReversed()
          .map(([key, value]) => `${JSON.stringify(key)} : ${JSON.stringify(value)}`)
          .join(" , ")}}`;
        assert.deepEqual(
          [JSON.stringify(input), turned, JSON.stringify(input), turned].map((text) => check("t", text)),
          ["run", "run", "repeat", "loop"],
        );
      }),
    );
  });
});

describe("an answer that repeats itself", () => {
  const cases: readonly (readonly [previous: string | null, next: string, isRepeat: boolean])[] = [
    [null, "", false],
    [null, "Yes", false],
    ["", "", true],
    ["", " \n", true],
    ["Yes.", "yes", true],
    ["Yes,\n go on!", " YES, go  on …", true],
    ["Step 1", "Step 2", false],
    ["a+b", "a-b", false],
    ["Yes", "Yes and no", false],
  ];
  for (const [previous, next, isRepeat] of cases)
    test(`${JSON.stringify(previous)} then ${JSON.stringify(next)}`, () =>
      assert.equal(repeatsItself(previous, next), isRepeat));
});
