import assert from "node:assert/strict";
import { test } from "node:test";
import type { MetricFamily } from "swarmbase/extension";
import { describeProcess } from "../src/observe/describe-process.ts";
import type { OperatorContext } from "../src/operator-route.ts";

const CONTEXT = { operations: { roles: [], isWorkerProcess: false }, version: "1.0.0", now: () => new Date() };

function readBackup(gauges: Readonly<Record<string, number>>) {
  const families = Object.entries(gauges).map(([name, value]) => ({
    name: `swarmbase_backup_${name}`,
    values: [{ value, labels: {} }],
  }));
  return describeProcess(CONTEXT as unknown as OperatorContext, families as unknown as readonly MetricFamily[]).backup;
}

test("a process that archives reports its last verification, one that does not reports no backup", () => {
  assert.equal(readBackup({}), null);
  const archiving = { archived_timestamp_seconds: 10, failures: 1 };
  const never = readBackup(archiving);
  assert.deepEqual([never?.verified_at, never?.verification], [null, null]);
  const failed = readBackup({
    ...archiving,
    verified_timestamp_seconds: 20,
    verification_timestamp_seconds: 30,
    verification_success: 0,
  });
  assert.equal(failed?.verified_at, "1970-01-01T00:00:20.000Z");
  assert.deepEqual(failed?.verification, { at: "1970-01-01T00:00:30.000Z", is_ok: false });
  const { verification } =
    readBackup({ verification_timestamp_seconds: 30, verification_success: 1, failures: 0 }) ?? {};
  assert.equal(verification?.is_ok, true);
  const kept = readBackup({ ...archiving, restorable_timestamp_seconds: 5, failed_timestamp_seconds: 6 });
  assert.deepEqual([kept?.restorable_from, kept?.failed_at], ["1970-01-01T00:00:05.000Z", "1970-01-01T00:00:06.000Z"]);
});
