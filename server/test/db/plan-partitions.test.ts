import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { type Partition, planPartitions } from "../../src/db/partitions/plan-partitions.ts";

const DAY_MS = 86_400_000;
const NOW_MS = 1_000 * 7 * DAY_MS + DAY_MS;
const RETENTION_MS = 28 * DAY_MS;

const idAt = (ms: number): string => {
  const hex = ms.toString(16).padStart(12, "0");
  return `${hex.slice(0, 8)}-${hex.slice(8)}-0000-0000-000000000000`;
};
const days = (from: number | null, to: number | null): Partition => ({
  name: `${from}..${to}`,
  lowerId: from === null ? null : idAt(NOW_MS + from * DAY_MS),
  upperId: to === null ? null : idAt(NOW_MS + to * DAY_MS),
});
const plan = (partitions: readonly Partition[], isLarge = true, retentionMs = RETENTION_MS) =>
  planPartitions(partitions, { nowMs: NOW_MS, retentionMs, isLarge });

describe("the plan of partitions", () => {
  it("closes a partition in use at a boundary that is more than a period ahead", () => {
    assert.equal(plan([days(null, null)]).closeAt, idAt(1_002 * 7 * DAY_MS));
    assert.equal(plan([days(null, -60), days(-60, null)]).closeAt, idAt(1_002 * 7 * DAY_MS));
  });

  it("adds one period before the last partition comes into use, and none while it begins later than that", () => {
    assert.equal(plan([days(null, 6), days(6, null)]).closeAt, idAt(NOW_MS + 13 * DAY_MS));
    assert.equal(plan([days(null, 8), days(8, null)]).closeAt, null);
  });

  it("leaves a small table, and one that is kept forever, as it is", () => {
    assert.deepEqual(plan([days(null, 1), days(1, null)], false), { closeAt: null, old: [] });
    assert.deepEqual(plan([days(null, -60), days(-60, null)], true, 0), { closeAt: null, old: [] });
  });

  it("gives a small table a second partition, also when one is dropped", () => {
    assert.equal(plan([days(null, null)], false).closeAt, idAt(1_002 * 7 * DAY_MS));
    assert.equal(plan([days(null, -30), days(-30, null)], false).closeAt, idAt(1_002 * 7 * DAY_MS));
  });

  it("drops partitions that end before the retention begins, also of a table that has become small", () => {
    const partitions = [days(null, -35), days(-35, -28), days(-28, -21), days(-21, 14), days(14, null)];
    assert.deepEqual(plan(partitions, false).old, partitions.slice(0, 2));
  });

  it("has periods of at least an hour", () => {
    assert.equal(plan([days(null, null)], true, 3_600_000).closeAt, idAt(NOW_MS + 2 * 3_600_000));
  });
});
