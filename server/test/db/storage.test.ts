import assert from "node:assert/strict";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { measureStorage, type Storage, watchStorage } from "../../src/db/index.ts";
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
