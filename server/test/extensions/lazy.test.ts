import assert from "node:assert/strict";
import { test } from "node:test";
import { lazy } from "../../src/extensions/port.ts";

test("a lazy function loads its module with the first call, once, and again after a failure", async () => {
  let loads = 0;
  let isBroken = true;
  const add = lazy(async () => {
    loads += 1;
    if (isBroken) throw new Error("not there yet");
    return (one: number, other: number) => one + other;
  });
  assert.equal(loads, 0);
  await assert.rejects(add(1, 2), /not there yet/);
  isBroken = false;
  assert.deepEqual(await Promise.all([add(1, 2), add(3, 4)]), [3, 7]);
  assert.equal(loads, 2);
});
