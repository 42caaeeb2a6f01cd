import assert from "node:assert/strict";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { DiskReserve, type DiskSpace, measureStorage, type Storage, watchStorage } from "../../src/db/index.ts";
import type { ObservationName, Observer } from "../../src/observe/index.ts";

test("measureStorage measures the free space and the WAL of a cluster", async (t) => {
  const clusterDir = await mkdtemp(join(tmpdir(), "swarmbase-storage-"));
  t.after(() => rm(clusterDir, { recursive: true }));
  await mkdir(join(clusterDir, "pg_wal", "archive_status"), { recursive: true });
  for (const name of ["1", "2"]) await writeFile(join(clusterDir, "pg_wal", name), Buffer.alloc(1_000));
  const { freeBytes, totalBytes, walBytes } = await measureStorage(clusterDir);
  assert.equal(walBytes, 2_000);
  assert.ok(freeBytes > 0 && totalBytes >= freeBytes);
});

test("watchStorage reports each change of the disk level and of the WAL once", async () => {
  const disk = (freeBytes: number, walBytes = 0): Storage => ({ freeBytes, totalBytes: 100_000, walBytes });
  const readings = [disk(9_000), disk(3_500), disk(3_400), disk(900), disk(3_500), disk(9_000, 600), disk(9_000, 700)];
  const notes: [ObservationName, unknown][] = [];
  const observer: Observer = {
    note: (name, fields = {}) => void notes.push([name, fields["freeBytes"]]),
    child: () => observer,
  };
  const stop = new AbortController();
  const measure = async (): Promise<Storage> => {
    const next = readings.shift();
    if (readings.length === 0) stop.abort();
    return next ?? disk(9_000);
  };
  const settings = { diskWarningBytes: 4_000, walWarningBytes: 500 };
  await watchStorage({ settings, observer, measure, intervalMs: 1 }, stop.signal);
  assert.deepEqual(notes, [
    ["storage.low", 3_500],
    ["storage.critical", 900],
    ["storage.low", 3_500],
    ["storage.recovered", 9_000],
    ["storage.wal_large", 9_000],
  ]);
});

test("the disk reserve rejects writes below a sixteenth of the warning, until there is clearly more", async () => {
  const readings = [2_000, 999, 1_200, 1_300, 1_300];
  const seen: [ObservationName, unknown][] = [];
  const rejected: boolean[] = [];
  const observer: Observer = {
    note: (name, fields = {}) => void seen.push([name, fields["freeBytes"]]),
    child: () => observer,
  };
  const stop = new AbortController();
  const isRejected = (): boolean => {
    try {
      reserve.requireSpace();
      return false;
    } catch (error) {
      assert.deepEqual(Object(error).extra, { retryAfterSeconds: 5 });
      return true;
    }
  };
  const measure = async (): Promise<DiskSpace> => {
    rejected.push(isRejected());
    const freeBytes = readings.shift() ?? 0;
    if (readings.length === 0) stop.abort();
    return { freeBytes, totalBytes: 100_000 };
  };
  const reserve = new DiskReserve({ warningBytes: 16_000, observer, measure, intervalMs: 1 });
  await reserve.run(stop.signal);
  assert.deepEqual(rejected, [false, false, true, true, false]);
  assert.deepEqual(seen, [
    ["storage.full", 999],
    ["storage.writable", 1_300],
  ]);
});
