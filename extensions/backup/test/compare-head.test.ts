import assert from "node:assert/strict";
import { test } from "node:test";
import { openArchive } from "../src/archive/archive.ts";
import { compareHead } from "../src/archive/compare-head.ts";
import { baseName, chainName, HEAD, walName } from "../src/archive/names.ts";
import { openFolderStore } from "../src/store/folder-store.ts";
import { createTemporaryFolder } from "../../../server/test/support/temporary-folder.ts";

const CHAIN = "20260101T000000Z-aa";
const BASE = "20260102T000000Z-bb";
const AT = new Date("2026-01-03T00:00:00Z");
const RANGES = [0x10n, 0x20n].map((start) => ({ start, end: start + 0x10n, completeAt: AT }));

test("an archive without an object that its head counts is not complete", async (t) => {
  const folder = await createTemporaryFolder(t, "swarmbase-head-");
  const store = openFolderStore(folder);
  const archive = openArchive(store, Buffer.alloc(32, 1));
  const { signal } = new AbortController();
  await assert.rejects(compareHead(archive, signal), /The head of .* is missing/);
  const chain = { systemId: "1", timeline: 1, segmentBytes: 16, postgresMajor: 17, startLsn: "0/10", createdAt: "" };
  await archive.putChain(CHAIN, chain, signal);
  const head = { chain: CHAIN, base: null, lsn: "0/10", at: AT.toISOString() };
  await archive.putHead(head, signal);
  await compareHead(archive, signal);
  for (const range of RANGES) await archive.putWal(CHAIN, range, Buffer.alloc(16), signal);
  await archive.putBase(CHAIN, BASE, {} as never, signal);
  // A process that was killed has stored more than its head says.
  await compareHead(archive, signal);
  await archive.putHead({ ...head, base: BASE, lsn: "0/30" }, signal);
  await compareHead(archive, signal);
  const [, newest = ""] = RANGES.map((range) => walName(CHAIN, range));
  for (const [name, expected] of [
    [newest, /The WAL from 0\/20 to 0\/30 is missing, although the archive had it at 2026/],
    [baseName(CHAIN, BASE), /The base backup \S+ is missing/],
    [chainName(CHAIN), /The chain \S+ is missing/],
    [HEAD, /The head of .* is missing/],
  ] as const) {
    const content = (await store.get(name, signal)) ?? Buffer.alloc(0);
    await store.remove(name, signal);
    await assert.rejects(compareHead(archive, signal), expected);
    await store.put(name, content, { signal });
  }
  await compareHead(archive, signal);
});
