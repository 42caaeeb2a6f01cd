import assert from "node:assert/strict";
import { test } from "node:test";
import { createLineBudget } from "../../src/observe/index.ts";

test("allows 30 lines in a minute, and the first one of the next minute says how many were left out", () => {
  let nowMs = 0;
  const budget = createLineBudget(() => nowMs);
  const taken = Array.from({ length: 50 }, () => budget.take());
  assert.deepEqual(taken, [...Array.from({ length: 30 }, () => 0), ...Array.from({ length: 20 }, () => null)]);
  nowMs = 59_999;
  assert.equal(budget.take(), null);
  nowMs = 60_000;
  assert.deepEqual([budget.take(), budget.take()], [21, 0]);
});
