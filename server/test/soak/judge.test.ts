import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { findBrokenPromises, type Observed } from "./judge.ts";
import { SNAPSHOT_NAMES, type MemorySnapshot, type MemoryOverTime } from "./judge-memory.ts";
import { openCounts, runLoad, type LoadCounts, type Traffic } from "./load.ts";

/** As measured, but for what is changed. */
function memoryOf(changes: Partial<Record<MemorySnapshot["name"], Partial<MemorySnapshot>>> = {}): MemoryOverTime {
  const liveMb = { before: 46, warm: 64, later: 69, end: 69, after: 53 };
  return {
    samples: Array.from({ length: 120 }, (_, index) => ({
      atMs: index * 500,
      rssMb: 420,
      heapMb: 90 + (index % 40) * 5,
    })),
    snapshots: SNAPSHOT_NAMES.map((name, at) => ({
      name,
      atMs: at * 20_000,
      rssMb: 300 + at * 5,
      liveMb: liveMb[name],
      bufferMb: 4 + at,
      ...changes[name],
    })),
  };
}
const countsOf = (...statuses: number[]): LoadCounts => ({
  ...openCounts("read"),
  byStatus: new Map(statuses.map((status) => [status, 1])),
});
const GOOD: Observed = {
  loads: [countsOf(200, 503)],
  before: { p50Ms: 5, p99Ms: 20 },
  recoveryMs: 900,
  memory: memoryOf(),
};

describe("the soak's judgement", () => {
  it("is content with refusals, a quick recovery and memory that is flat wherever garbage was collected", () => {
    assert.deepEqual(findBrokenPromises(GOOD), []);
  });

  const broken: [what: string, changes: Partial<Observed>, expected: RegExp][] = [
    ["an answer that is none of ours", { loads: [{ ...countsOf(503), unexpected: new Map([[500, 2]]) }] }, /2 .* 500/],
    ["a call without an answer", { loads: [{ ...countsOf(503), broken: new Map([["ECONNRESET", 1]]) }] }, /ECONNRESET/],
    ["a load that was none", { loads: [countsOf(200)] }, /not above capacity/],
    ["traffic that never began", { loads: [countsOf(503), openCounts("write")] }, /write: nothing was sent/],
    ["latency that stays", { recoveryMs: null }, /not normal again/],
    ["memory that nobody looked at", { memory: { samples: [], snapshots: [] } }, /not measured: before, warm/],
    [
      "a snapshot that is missing",
      { memory: { ...memoryOf(), snapshots: memoryOf().snapshots.slice(1) } },
      /not measured: before$/m,
    ],
    [
      "memory that is kept of every answer",
      { memory: memoryOf({ end: { liveMb: 85 } }) },
      /in use grew .* 85 MB \(end\)/,
    ],
    ["memory that comes early", { memory: memoryOf({ later: { liveMb: 85 } }) }, /in use grew .* \(later\)/],
    ["memory that is not given back", { memory: memoryOf({ after: { liveMb: 69 } }) }, /in use grew .* \(after\)/],
    ["buffers that pile up", { memory: memoryOf({ end: { bufferMb: 24 } }) }, /buffers hold grew .* \(end\)/],
    ["a process that grows outside of its heap", { memory: memoryOf({ end: { rssMb: 400 } }) }, /the process grew/],
    [
      "a process that is too large for a moment",
      { memory: { ...memoryOf(), samples: [{ atMs: 0, rssMb: 641, heapMb: null }] } },
      /the process had 641 MB/,
    ],
  ];
  for (const [what, changes, expected] of broken) {
    it(`sees ${what}`, () => assert.match(findBrokenPromises({ ...GOOD, ...changes }).join("\n"), expected));
  }
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
    const { loads, answered } = await running;
    for (const answer of open) answer();
    await answered;
    const [counts] = loads;
    assert.equal(open.length, 10);
    assert.ok((counts?.leftOut ?? 0) > 20);
    assert.deepEqual([...(counts?.byStatus ?? [])], [[200, 10]]);
    assert.equal(counts?.unexpected.size, 0);
  });
});
