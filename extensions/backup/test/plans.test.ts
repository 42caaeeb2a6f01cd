import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { propertyRuns } from "../../../server/test/support/property-runs.ts";
import { GapError, joinWal } from "../src/archive/join-wal.ts";
import { parseLsn, renderLsn, segmentName, segmentStart } from "../src/archive/lsn.ts";
import { baseName, chainName, groupNames, partName, walName } from "../src/archive/names.ts";
import { planRetention } from "../src/archive/plan-retention.ts";

const CHAINS = ["20260101T000000Z-aa", "20260201T000000Z-bb"] as const;

function listWal(ranges: readonly (readonly [start: number, end: number])[], chain: string = CHAINS[0]) {
  const names = ranges.map(([start, end]) =>
    walName(chain, { start: BigInt(start), end: BigInt(end), completeAt: new Date(0) }),
  );
  return groupNames(names)[0]?.wal ?? [];
}

test("positions and files of the WAL have the names that PostgreSQL gives them", () => {
  assert.equal(parseLsn("1/6B374D8"), 0x1_06b3_74d8n);
  assert.equal(renderLsn(0x1_06b3_74d8n), "1/6B374D8");
  assert.equal(renderLsn(0n), "0/0");
  const size = 16n * 1024n * 1024n;
  assert.equal(segmentName(1, 0x3000028n, size), "000000010000000000000003");
  assert.equal(segmentName(0x1a, 0x1_ff00_0000n, size), "0000001A00000001000000FF");
  assert.equal(segmentStart(0x3000028n, size), 0x3000000n);
  assert.throws(() => parseLsn("x"), RangeError);
});

test("WAL is joined over pieces that overlap, and a gap is an error", () => {
  const joined = joinWal(
    listWal([
      [0, 10],
      [10, 30],
      [10, 20],
      [20, 40],
      [40, 50],
    ]),
    0n,
  );
  assert.equal(joined.end, 50n);
  assert.deepEqual(
    joined.pieces.map(({ start }) => start),
    [0n, 10n, 20n, 40n],
  );
  assert.equal(
    joinWal(
      listWal([
        [0, 10],
        [10, 20],
      ]),
      15n,
    ).pieces.length,
    1,
  );
  assert.equal(joinWal([], 7n).end, 7n);
  assert.throws(
    () =>
      joinWal(
        listWal([
          [0, 10],
          [20, 30],
        ]),
        0n,
      ),
    GapError,
  );
  assert.throws(() => joinWal(listWal([[5, 10]]), 0n), GapError);
});

test("pieces that cover a range join to it, and without any necessary one of them they do not", () => {
  const cuts = fc.uniqueArray(fc.integer({ min: 1, max: 99 }), { minLength: 1, maxLength: 8 });
  fc.assert(
    fc.property(cuts, fc.nat(), (inner, chosen) => {
      const borders = [0, ...inner.sort((a, b) => a - b), 100];
      const ranges = borders.slice(1).map((end, index) => [borders[index] ?? 0, end] as const);
      assert.equal(joinWal(listWal(ranges), 0n).end, 100n);
      const removed = chosen % ranges.length;
      const rest = ranges.filter((_, index) => index !== removed);
      if (removed === ranges.length - 1) assert.ok(joinWal(listWal(rest), 0n).end < 100n);
      else assert.throws(() => joinWal(listWal(rest), 0n), GapError);
    }),
    { numRuns: propertyRuns(50) },
  );
});

test("retention keeps the newest base backups and every piece of WAL that they need, whatever is in the archive", () => {
  const positions = fc.uniqueArray(fc.integer({ min: 0, max: 90 }), { minLength: 0, maxLength: 5 });
  fc.assert(
    fc.property(
      positions,
      positions,
      fc.integer({ min: 1, max: 4 }),
      fc.constantFrom(0, 1),
      (first, second, keep, at) => {
        const current = CHAINS[at];
        const baseId = (position: number): string => `20260301T0000${String(position).padStart(2, "0")}Z-00`;
        const names: string[] = [];
        const bases = [first, second].flatMap((starts, index) => {
          const chain = CHAINS[index] ?? "";
          names.push(chainName(chain));
          for (let start = 0; start < 100; start += 10)
            names.push(walName(chain, { start: BigInt(start), end: BigInt(start + 10), completeAt: new Date(0) }));
          return starts
            .sort((a, b) => a - b)
            .map((start) => {
              const base = baseId(start);
              names.push(baseName(chain, base), partName(chain, base, 0));
              return { chain, base, walStart: BigInt(start) };
            });
        });
        const chains = groupNames(names);
        const plan = planRetention({ chains, bases, keep, current });
        const left = groupNames(names.filter((name) => !plan.names.includes(name)));
        const kept = bases.slice(-keep);
        assert.equal(plan.bases, bases.length - kept.length);
        for (const { chain, base, walStart } of kept) {
          const found = left.find(({ id }) => id === chain);
          assert.deepEqual(found?.bases.find(({ id }) => id === base)?.names.length, 2);
          assert.ok(found?.hasDescription);
          assert.equal(joinWal(found?.wal ?? [], walStart).end, 100n);
        }
        assert.equal(left.flatMap(({ bases: some }) => some).length, kept.length);
        const needed = new Set([...kept.map(({ chain }) => chain), current]);
        assert.deepEqual(
          left.map(({ id }) => id).filter((id) => !needed.has(id)),
          [],
        );
        // Interrupted anywhere, the rest is found again: a base backup without its description, or a chain with one.
        for (const cut of plan.names.keys()) {
          const partly = groupNames(names.filter((name) => !plan.names.slice(0, cut).includes(name)));
          for (const chain of partly) assert.ok(chain.hasDescription, "the description of a chain goes last");
        }
      },
    ),
    { numRuns: propertyRuns(50) },
  );
});

test("retention leaves a base backup of the current chain alone that is being written, and removes abandoned ones", () => {
  const [chain] = CHAINS;
  const ids = ["20260101T000001Z-00", "20260101T000002Z-00", "20260101T000003Z-00"] as const;
  const names = [chainName(chain), partName(chain, ids[0], 0), baseName(chain, ids[1]), partName(chain, ids[2], 0)];
  const bases = [{ chain, base: ids[1], walStart: 0n }];
  const plan = planRetention({ chains: groupNames(names), bases, keep: 1, current: chain });
  assert.deepEqual(plan.names, [partName(chain, ids[0], 0)]);
});

test("names that only resemble those of an archive are ignored, so that retention removes nothing outside of it", () => {
  const [old, current] = CHAINS;
  const strange = [
    `chains/${old}/../../../other-bucket/wal/0000000000000000-0000000000000001-0`,
    `chains/${old}/./base/20260101T000001Z-00/part-000000`,
    `chains/${old}/figures/../../x/figures/0000000000000000.json`,
    `chains/${old}/notes.txt`,
  ];
  const names = [chainName(old), chainName(current), ...strange];
  const chains = groupNames(names);
  assert.deepEqual(
    chains.flatMap(({ names: own }) => own),
    [chainName(old), chainName(current)],
  );
  assert.deepEqual(planRetention({ chains, bases: [], keep: 1, current }).names, [chainName(old)]);
});
