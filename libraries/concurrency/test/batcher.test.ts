import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { type BatcherOptions, createBatcher } from "../src/index.ts";

interface Item {
  readonly name: string;
  readonly keys?: readonly string[];
  readonly size?: number;
}

/** Batches whose items are answered in upper case; one with an item called "held" ends on demand. */
function open(options: Omit<BatcherOptions<Item, string>, "run"> = {}) {
  const batches: string[][] = [];
  const release: (() => void)[] = [];
  let running = 0;
  let peak = 0;
  const put = createBatcher<Item, string>({
    keysOf: ({ keys = [] }) => keys,
    sizeOf: ({ size = 0 }) => size,
    ...options,
    run: async (items) => {
      running += 1;
      peak = Math.max(peak, running);
      batches.push(items.map(({ name }) => name));
      await (items.some(({ name }) => name === "held")
        ? new Promise<void>((resolve) => release.push(resolve))
        : Promise.resolve());
      running -= 1;
      if (items.some(({ name }) => name === "bad")) throw new Error("the batch failed");
      return items.map(({ name }) => (name === "odd" ? new Error("the item failed") : name.toUpperCase()));
    },
  });
  return { put, batches, release, peak: () => peak };
}

const named = (...names: string[]): Item[] => names.map((name) => ({ name }));

describe("createBatcher", () => {
  it("starts the first item at once, and runs those that arrive meanwhile together", async () => {
    const { put, batches } = open();
    const all = named("a", "b", "c").map(put);
    assert.deepEqual(batches, [["a"]]);
    assert.deepEqual(await Promise.all(all), ["A", "B", "C"]);
    assert.deepEqual(batches, [["a"], ["b", "c"]]);
  });

  it("waits delayMs for more items, unless a batch is full", async () => {
    const { put, batches } = open({ delayMs: () => 5, maxItems: 3 });
    await Promise.all(named("a", "b").map(put));
    assert.deepEqual(batches, [["a", "b"]]);
    const late = open({ delayMs: (afterBatch) => (afterBatch ? 0 : 1), maxItems: 2 });
    await Promise.all(named("a", "b", "c").map(late.put));
    assert.deepEqual(late.batches, [["a", "b"], ["c"]]);
  });

  it("ends the wait when a batch becomes full", async () => {
    const { put, batches } = open({ delayMs: () => 3_600_000, maxItems: 2 });
    const first = put({ name: "a" });
    assert.deepEqual(batches, []);
    assert.deepEqual(await Promise.all([first, put({ name: "b" })]), ["A", "B"]);
  });

  it("puts no two items with a key in common into one batch", async () => {
    const { put, batches } = open({ delayMs: () => 1, maxItems: 4, maxConcurrent: 2 });
    const items = [
      { name: "a", keys: ["x"] },
      { name: "b", keys: ["y", "x"] },
      { name: "c", keys: ["z"] },
      { name: "d", keys: ["v"] },
    ];
    assert.deepEqual(await Promise.all(items.map(put)), ["A", "B", "C", "D"]);
    assert.deepEqual(batches, [["a", "c", "d"], ["b"]]);
  });

  it("bounds the size of a batch, and runs a larger item alone", async () => {
    const { put, batches } = open({ delayMs: () => 1, maxSize: 10 });
    const items = [4, 6, 1, 50, 9].map((size, index) => ({ name: String(index), size }));
    await Promise.all(items.map(put));
    assert.deepEqual(batches, [["0", "1"], ["2"], ["3"], ["4"]]);
  });

  it("shares many items among the batches that may run at a time", async () => {
    const { put, batches } = open({ delayMs: () => 1, maxItems: 50, maxConcurrent: 2 });
    await Promise.all(Array.from({ length: 18 }, (_, index) => put({ name: String(index) })));
    assert.deepEqual(
      batches.map(({ length }) => length),
      [9, 9],
    );
  });

  it("rejects all items of a batch that fails, and only the item whose result is an Error", async () => {
    const { put } = open({ delayMs: () => 1 });
    const failed = await Promise.allSettled(named("a", "bad").map(put));
    assert.deepEqual(
      failed.map(({ status }) => status),
      ["rejected", "rejected"],
    );
    const mixed = await Promise.allSettled(named("a", "odd", "b").map(put));
    assert.deepEqual(
      mixed.map(({ status }) => status),
      ["fulfilled", "rejected", "fulfilled"],
    );
  });

  it("rejects the items of a batch that returns too few results", async () => {
    const put = createBatcher<string, string>({ run: async () => [] });
    await assert.rejects(put("a"), /a batch of 1 items returned 0 results/);
  });

  it("runs further items beside a batch that hangs", async () => {
    const { put, release } = open({ maxConcurrent: 2 });
    const held = put({ name: "held" });
    assert.equal(await put({ name: "a" }), "A");
    for (const end of release) end();
    assert.equal(await held, "HELD");
  });

  it("answers each item once, with its own result, within all limits", async () => {
    const item = fc.record({
      name: fc.string({ minLength: 1, maxLength: 3 }).filter((name) => !["bad", "odd"].includes(name)),
      keys: fc.array(fc.constantFrom("x", "y", "z"), { maxLength: 2 }),
      size: fc.nat(12),
    });
    const limits = fc.record({
      maxItems: fc.integer({ min: 1, max: 5 }),
      maxSize: fc.integer({ min: 1, max: 20 }),
      maxConcurrent: fc.integer({ min: 1, max: 3 }),
      delay: fc.nat(1),
    });
    await fc.assert(
      fc.asyncProperty(limits, fc.array(item, { maxLength: 30 }), async ({ delay, ...options }, items) => {
        const { put, batches, peak } = open({ ...options, delayMs: () => delay });
        const results = await Promise.all(items.map(put));
        assert.deepEqual(
          results,
          items.map(({ name }) => name.toUpperCase()),
        );
        assert.deepEqual(batches.flat().sort(), items.map(({ name }) => name).sort());
        assert.ok(batches.every(({ length }) => length <= options.maxItems));
        assert.ok(peak() <= options.maxConcurrent);
      }),
      { numRuns: 40 },
    );
  });
});
