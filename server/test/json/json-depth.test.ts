import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { isTooDeep, MAX_JSON_DEPTH, readExactJson, readJson, TOO_DEEP } from "../../src/json/index.ts";

const wrap = (inner: string, levels: number): string => `${"[".repeat(levels)}${inner}${"]".repeat(levels)}`;

test("the depth counts arrays and objects alike", () => {
  const objects = (levels: number): string => `${'{"a":'.repeat(levels)}1${"}".repeat(levels)}`;
  for (const make of [(levels: number) => wrap("", levels), objects]) {
    assert.equal(readJson(make(MAX_JSON_DEPTH)).fault, null);
    for (const levels of [MAX_JSON_DEPTH + 1, 100_000]) {
      assert.deepEqual(readJson(make(levels)), { fault: TOO_DEEP });
      assert.deepEqual(readExactJson(make(levels)), { fault: TOO_DEEP });
    }
  }
  assert.equal(isTooDeep(`[${Array(5_000).fill("[]").join()}]`), false, "beside each other");
});

test("brackets in strings do not count as levels", () => {
  fc.assert(
    fc.property(fc.array(fc.constantFrom("[", "{", '"', "\\", "]", "}"), { minLength: 3_000 }), (characters) => {
      const text = JSON.stringify(characters.join(""));
      assert.equal(isTooDeep(`[${text},${text}]`), false);
      assert.equal(isTooDeep(wrap(text, MAX_JSON_DEPTH)), false);
      assert.equal(isTooDeep(wrap(text, MAX_JSON_DEPTH + 1)), true);
    }),
    { numRuns: 20 },
  );
});

test("text that is not JSON is reported as invalid", () => {
  for (const text of ["", "{", "nonsense", "[1,]"]) assert.deepEqual(readJson(text), { fault: "must be valid JSON" });
});
