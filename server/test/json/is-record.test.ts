import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { isRecord } from "../../src/json/index.ts";

test("isRecord accepts the objects of JSON and nothing else", () => {
  for (const value of [{}, { a: 1 }, Object.create(null)]) assert.equal(isRecord(value), true);
  for (const value of [null, undefined, 0, "", "{}", true, [], [{}], Buffer.from("{}"), new Uint8Array(2), () => ({})])
    assert.equal(isRecord(value), false);
});

test("isRecord agrees with the text of a JSON value", () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      assert.equal(isRecord(JSON.parse(JSON.stringify(value))), JSON.stringify(value).startsWith("{"));
    }),
  );
});
