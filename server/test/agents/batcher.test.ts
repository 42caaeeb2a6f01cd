import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { createLoadMeter, createRunBatcher, pauseFor } from "../../src/agents/batcher.ts";

describe("createRunBatcher", () => {
  const open = (isInDoubt: boolean) =>
    createRunBatcher<string, string>({
      maxItems: 10,
      countRuns: () => 10,
      work: async (items) => {
        if (items.includes("bad")) throw new Error("the statement failed");
        return items.map((item) => (item === "odd" ? null : item.toUpperCase())).slice(0, 3);
      },
      isInDoubt: () => isInDoubt,
    });

  test("resolves with null for an item that has to be handled alone or has no answer", async () => {
    assert.deepEqual(await Promise.all(["a", "odd", "b", "c"].map(open(false))), ["A", null, "B", null]);
  });

  test("resolves with null for all items when the statement fails, and serves the next batch", async () => {
    const put = open(false);
    assert.deepEqual(await Promise.all(["a", "bad"].map(put)), [null, null]);
    assert.equal(await put("a"), "A");
  });

  test("rejects all items when a statement that failed may have been carried out", async () => {
    const put = open(true);
    for (const { status } of await Promise.allSettled(["a", "bad"].map(put))) assert.equal(status, "rejected");
    assert.equal(await put("a"), "A");
  });
});

describe("the load of a node", () => {
  test("few runs do not wait for each other, many wait for 1 ms", () => {
    assert.deepEqual([0, 3, 4, 8, 500].map(pauseFor), [0, 0, 1, 1, 1]);
  });

  test("the peak of the load decays with a half-life of 500 ms", () => {
    let nowMs = 0;
    const meter = createLoadMeter(() => nowMs);
    assert.equal(meter.size(1), 1);
    for (let runs = 1; runs <= 16; runs += 1) meter.note(runs);
    assert.equal(meter.size(0), 16);
    nowMs = 500;
    meter.note(1);
    assert.equal(meter.size(1), 8);
    nowMs = 5_000;
    assert.ok(meter.size(1) === 1 && meter.size(20) === 20);
  });
});
