import assert from "node:assert/strict";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import type { RestorePlan } from "../src/archive/plan-restore.ts";
import { requireSpace } from "../src/verify/require-space.ts";

function plan(clusterBytes: number, walBytes: bigint): RestorePlan {
  const pieces = [{ name: "", start: 0n, end: walBytes, completeAt: new Date(0) }];
  return { base: { clusterBytes }, wal: { pieces, end: walBytes } } as unknown as RestorePlan;
}

test("a verification does not begin without space for the copy and its WAL", async () => {
  const folder = join(tmpdir(), "swarmbase-missing", "folder");
  await requireSpace(plan(1, 1n), folder);
  const expected = /needs \d+ MiB of disk space in .*folder, which has \d+ MiB/;
  await assert.rejects(requireSpace(plan(2 ** 60, 1n), folder), expected);
  await assert.rejects(requireSpace(plan(1, 2n ** 60n), folder), expected);
});
