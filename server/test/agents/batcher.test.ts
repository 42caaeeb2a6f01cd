import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { createLoadMeter, createRunBatcher, pauseFor } from "../../src/agents/batcher.ts";

describe("createRunBatcher", () => {
  const open = () => {
    const batches: string[][] = [];
    const put = createRunBatcher<string, string>({
      maxItems: 10,
      countRuns: () => 10,
      send: async (items) => {
        batches.push([...items]);
        if (items.includes("bad")) throw new Error("one item is bad");
        if (items.includes("unanswered")) throw new Error("no answer");
        return items.map((item) => (item === "held" && items.length > 1 ? null : item.toUpperCase()));
      },
      isInDoubt: (error) => error instanceof Error && error.message === "no answer",
    });
    return { put, batches };
  };

  test("sends an item again alone when the statement for several leaves it out", async () => {
    const { put, batches } = open();
    assert.deepEqual(await Promise.all(["a", "held", "b"].map(put)), ["A", "HELD", "B"]);
    assert.deepEqual(batches, [["a", "held", "b"], ["held"]]);
  });

  test("sends every item of a failed statement again alone, so that each gets its own outcome", async () => {
    const { put, batches } = open();
    const [good, bad] = await Promise.allSettled([put("a"), put("bad")]);
    assert.ok(good?.status === "fulfilled" && good.value === "A");
    assert.ok(bad?.status === "rejected" && bad.reason instanceof Error && bad.reason.message === "one item is bad");
    assert.deepEqual(batches, [["a", "bad"], ["a"], ["bad"]]);
  });

  test("sends an item that fails alone once", async () => {
    const { put, batches } = open();
    await assert.rejects(put("bad"), /one item is bad/);
    assert.deepEqual(batches, [["bad"]]);
  });

  test("sends no item again after a failure that may have been a commit", async () => {
    const { put, batches } = open();
    for (const { status } of await Promise.allSettled(["a", "unanswered"].map(put))) assert.equal(status, "rejected");
    assert.equal(batches.length, 1);
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
