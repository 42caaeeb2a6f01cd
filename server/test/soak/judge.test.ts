import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { findBrokenPromises, type MemorySample, measureGrowth, type Observed } from "./judge.ts";
import { openTally, runLoad, type Tally, type Traffic } from "./load.ts";

const memoryOf = (mbAt: (index: number) => number): MemorySample[] =>
  Array.from({ length: 120 }, (_, index) => ({ atMs: index * 500, rssMb: mbAt(index), heapMb: mbAt(index) / 2 }));
const tallyOf = (...statuses: number[]): Tally => ({
  ...openTally("read"),
  byStatus: new Map(statuses.map((status) => [status, 1])),
});
const GOOD: Observed = {
  tallies: [tallyOf(200, 503)],
  before: { p50Ms: 5, p99Ms: 20 },
  recoveryMs: 900,
  memory: memoryOf((index) => Math.min(300, 100 + index * 10) + (index % 5) * 4),
};

describe("the soak's judgement", () => {
  it("is content with refusals, a quick recovery and memory that is flat after its warm-up", () => {
    assert.deepEqual(findBrokenPromises(GOOD), []);
  });

  const broken: [what: string, changes: Partial<Observed>, expected: RegExp][] = [
    ["an answer that is none of ours", { tallies: [{ ...tallyOf(503), unexpected: new Map([[500, 2]]) }] }, /2 .* 500/],
    [
      "a call without an answer",
      { tallies: [{ ...tallyOf(503), broken: new Map([["ECONNRESET", 1]]) }] },
      /ECONNRESET/,
    ],
    ["a load that was none", { tallies: [tallyOf(200)] }, /not above capacity/],
    ["traffic that never began", { tallies: [tallyOf(503), openTally("write")] }, /write: nothing was sent/],
    ["latency that stays", { recoveryMs: null }, /not normal again/],
    ["memory that nobody looked at", { memory: [] }, /not measured/],
    ["memory that grows", { memory: memoryOf((index) => 200 + index * 3) }, /rss grew/],
  ];
  for (const [what, changes, expected] of broken) {
    it(`sees ${what}`, () => assert.match(findBrokenPromises({ ...GOOD, ...changes }).join("\n"), expected));
  }

  it("measures the slope in megabytes a minute", () => {
    const { rss, heap } = measureGrowth(memoryOf((index) => 100 + index));
    assert.equal(Math.round(rss?.mbPerMinute ?? 0), 120);
    assert.equal(Math.round(heap?.mbPerMinute ?? 0), 60);
    assert.deepEqual(measureGrowth([]), { rss: null, heap: null });
  });
});

describe("the soak's load", () => {
  it("goes on while nothing is answered, within its bound, and waits for all in the end", async () => {
    const open: (() => void)[] = [];
    const stuck: Traffic = {
      name: "stuck",
      perSecond: 1_000,
      mostUnderWay: 10,
      isExpected: (status) => status === 200,
      send: () => new Promise((resolve) => open.push(() => resolve(open.length > 10 ? 500 : 200))),
    };
    const running = runLoad([stuck], 100);
    const { tallies, answered } = await running;
    for (const answer of open) answer();
    await answered;
    const [tally] = tallies;
    assert.equal(open.length, 10);
    assert.ok((tally?.leftOut ?? 0) > 20);
    assert.deepEqual([...(tally?.byStatus ?? [])], [[200, 10]]);
    assert.equal(tally?.unexpected.size, 0);
  });
});
