import assert from "node:assert/strict";
import { test } from "node:test";
import { listGrown, measureStates } from "./support/planner-states.ts";

test("the statements of the queue read the same beside a million other deliveries", async (t) => {
  const states = await measureStates(t, 1_000_000, 7);
  assert.deepEqual(listGrown(states, 2.5), []);
});

test("the statements of the queue read the same with any statistics, with a partition for each day of a week", async (t) => {
  const states = await measureStates(t, 10_000, 7);
  assert.deepEqual(listGrown(states, 1.4), []);
});
