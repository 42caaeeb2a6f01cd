import assert from "node:assert/strict";
import { test } from "node:test";
import { listGrown, measureStates } from "./support/planner-states.ts";

test("the statements of the queue read the same with any statistics and with plans for empty tables", async (t) => {
  const states = await measureStates(t, 10_000, 2);
  // Larger indexes have more levels. A plan that reads a whole table reads more than that.
  assert.deepEqual(listGrown(states, 1.4), []);
});
