import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { createLoadMeter, createBatcher, pauseFor } from "../../src/agents/batcher.ts";

interface Item {
  readonly name: string;
  readonly keys?: readonly string[];
}

const open = (options: { readonly pauseMs?: number; readonly most?: number }) => {
  const batches: string[][] = [];
  const release: (() => void)[] = [];
  const put = createBatcher<Item, string>({
    pauseMs: () => options.pauseMs ?? 5,
    most: options.most ?? 10,
    keysOf: ({ keys = [] }) => keys,
    work: async (items) => {
      batches.push(items.map(({ name }) => name));
      if (items.some(({ name }) => name === "held")) await new Promise<void>((resolve) => release.push(resolve));
      if (items.some(({ name }) => name === "bad")) throw new Error("one of them was bad");
      return items.map(({ name }) => (name === "odd" ? null : name.toUpperCase()));
    },
  });
  return { put, batches, release };
};

describe("what many ask for at about the same time", () => {
  test("is asked together, and each gets its own answer", async () => {
    const { put, batches } = open({});
    const answers = await Promise.all([{ name: "a" }, { name: "odd" }, { name: "c" }].map(put));
    assert.deepEqual(answers, ["A", null, "C"]);
    assert.deepEqual(batches, [["a", "odd", "c"]]);
  });

  test("with no pause nobody waits", async () => {
    const { put, batches } = open({ pauseMs: 0 });
    const answer = put({ name: "a" });
    assert.deepEqual(batches, [["a"]]);
    assert.equal(await answer, "A");
  });

  test("no two of a batch share a key, and none is larger than it may be", async () => {
    const { put, batches } = open({ most: 2 });
    const items = [
      { name: "a", keys: ["x"] },
      { name: "b", keys: ["y", "x"] },
      { name: "c", keys: ["z"] },
      { name: "d", keys: ["v"] },
    ];
    assert.deepEqual(await Promise.all(items.map(put)), ["A", "B", "C", "D"]);
    assert.deepEqual(batches, [
      ["a", "c"],
      ["b", "d"],
    ]);
  });

  test("very many are shared out among as many statements as may be under way", async () => {
    const { put, batches } = open({ most: 50 });
    const items = Array.from({ length: 18 }, (_, at) => ({ name: String(at) }));
    assert.deepEqual(
      await Promise.all(items.map(put)),
      items.map(({ name }) => name),
    );
    assert.deepEqual(
      batches.map(({ length }) => length),
      [9, 9],
    );
  });

  test("what fails for one answers nobody of the batch, and the next batch is none the worse", async () => {
    const { put } = open({});
    assert.deepEqual(await Promise.all([put({ name: "a" }), put({ name: "bad" })]), [null, null]);
    assert.equal(await put({ name: "a" }), "A");
  });

  test("one that hangs does not hold the others up", async () => {
    const { put, release } = open({ pauseMs: 0 });
    const held = put({ name: "held" });
    assert.equal(await put({ name: "a" }), "A");
    for (const free of release) free();
    assert.equal(await held, "HELD");
  });

  test("few runs do not wait for each other, many do for a moment", () => {
    assert.deepEqual([0, 3, 4, 8, 500].map(pauseFor), [0, 0, 1, 1, 1]);
  });

  test("a crowd that was there a moment ago is expected back", () => {
    let nowMs = 0;
    const crowd = createLoadMeter(() => nowMs);
    assert.equal(crowd.size(1), 1);
    for (let runs = 1; runs <= 16; runs += 1) crowd.note(runs);
    assert.equal(crowd.size(0), 16);
    nowMs = 500;
    crowd.note(1);
    assert.equal(crowd.size(1), 8);
    nowMs = 5_000;
    assert.ok(crowd.size(1) === 1 && crowd.size(20) === 20);
  });
});
