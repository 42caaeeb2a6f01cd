import assert from "node:assert/strict";
import { test } from "node:test";
import { newRowId } from "../../src/db/new-row-id.ts";

test("an id of a row is a UUID of version 7 that begins with the time in milliseconds", () => {
  const id = newRowId(new Date(0x0190_1234_5678));
  assert.match(id, /^01901234-5678-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
});

test("ids of one millisecond differ, and ids of an early time keep their length", () => {
  const ids = Array.from({ length: 1_000 }, () => newRowId(new Date(1)));
  assert.equal(new Set(ids).size, ids.length);
  assert.ok(ids.every((id) => id.startsWith("00000000-0001-7")));
});
