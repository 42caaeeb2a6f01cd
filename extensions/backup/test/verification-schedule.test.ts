import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { openArchive, type Verifications } from "../src/archive/archive.ts";
import { openVerificationSchedule } from "../src/run/verification-schedule.ts";
import { openFolderStore } from "../src/store/folder-store.ts";
import { flipByte } from "./support/archive-folder.ts";

const HOUR_MS = 60 * 60 * 1_000;
const VERIFIED = { seconds: 1, chain: "c", base: "b", lsn: "0/1", fault: null };

async function open(t: TestContext, everyHours: number) {
  const folder = await mkdtemp(join(tmpdir(), "swarmbase-schedule-"));
  t.after(() => rm(folder, { recursive: true, force: true }));
  const archive = openArchive(openFolderStore(folder), randomBytes(32));
  const state = { nowMs: Date.parse("2026-01-01T00:00:00Z"), runs: 0, code: 0 as number | null, output: "" };
  const reported: Verifications[] = [];
  const failures: string[] = [];
  const now = (): Date => new Date(state.nowMs);
  const { signal } = new AbortController();
  const create = () =>
    openVerificationSchedule({
      archive,
      rules: { delayMs: 0, baseEveryMs: 0, keep: 1, maxKeptBytes: 0, verifyEveryMs: everyHours * HOUR_MS },
      now,
      verify: async () => {
        state.runs += 1;
        if (state.code === 0) await archive.putVerification({ at: now().toISOString(), ...VERIFIED }, signal);
        return { code: state.code, output: state.output };
      },
      report: {
        note: () => {},
        fail: (message, error) => void failures.push(`${message}: ${error instanceof Error ? error.message : ""}`),
        archived: () => {},
        based: () => {},
        kept: () => {},
        verified: (verifications) => void reported.push(verifications),
      },
    });
  return { archive, folder, state, reported, failures, create, signal };
}

test("verifies at once without a record, and again after the interval, also in another process", async (t) => {
  const { state, create, reported, signal } = await open(t, 168);
  const first = create();
  await first.runIfDue(signal);
  assert.equal(state.runs, 1);
  assert.equal(reported.at(-1)?.last?.at, "2026-01-01T00:00:00.000Z");
  state.nowMs += 167 * HOUR_MS;
  await first.runIfDue(signal);
  await create().runIfDue(signal);
  assert.equal(state.runs, 1);
  state.nowMs += HOUR_MS;
  await create().runIfDue(signal);
  assert.equal(state.runs, 2);
  await first.runIfDue(signal);
  assert.equal(state.runs, 2, "the verification of the other process counts");
});

test("records a failure that the command could not record, keeps the last success, and tries again after a day", async (t) => {
  const { state, create, archive, reported, failures, signal } = await open(t, 168);
  const schedule = create();
  await schedule.runIfDue(signal);
  state.nowMs += 168 * HOUR_MS;
  Object.assign(state, { code: null, output: "something\n" });
  await schedule.runIfDue(signal);
  assert.deepEqual(failures, ["the verification of the archive failed: something"]);
  const { last, lastVerified } = await archive.findVerifications(signal);
  assert.deepEqual([last?.at, last?.fault], ["2026-01-08T00:00:00.000Z", "something"]);
  assert.equal(lastVerified?.at, "2026-01-01T00:00:00.000Z");
  assert.deepEqual(reported.at(-1), { last, lastVerified });
  state.nowMs += 23 * HOUR_MS;
  await create().runIfDue(signal);
  assert.equal(state.runs, 2);
  state.nowMs += HOUR_MS;
  Object.assign(state, { code: 0 });
  await create().runIfDue(signal);
  assert.equal(state.runs, 3);
  assert.equal(reported.at(-1)?.last?.fault, null);
});

test("without an interval, only reports what the command has recorded", async (t) => {
  const { state, create, archive, reported, signal } = await open(t, 0);
  await archive.putVerification({ at: "2025-01-01T00:00:00.000Z", ...VERIFIED, fault: "rows differ" }, signal);
  await create().runIfDue(signal);
  assert.equal(state.runs, 0);
  assert.equal(reported.at(-1)?.last?.fault, "rows differ");
  assert.equal(reported.at(-1)?.lastVerified, null);
});

test("a record of a time in the future does not postpone the next verification", async (t) => {
  const { state, create, archive, signal } = await open(t, 1);
  await archive.putVerification({ at: "2030-01-01T00:00:00.000Z", ...VERIFIED }, signal);
  await create().runIfDue(signal);
  assert.equal(state.runs, 1);
});

test("a target that cannot be read causes no verification", async (t) => {
  const { state, create, folder, failures, reported, signal } = await open(t, 1);
  // Reading a folder as a file fails, whoever runs the test.
  await mkdir(join(folder, "verification.json"));
  await create().runIfDue(signal);
  assert.match(failures[0] ?? "", /^the record of verifications cannot be read: /);
  assert.deepEqual([state.runs, reported], [0, []]);
});

test("a record that was changed is reported and replaced", async (t) => {
  const { state, create, archive, folder, failures, signal } = await open(t, 1);
  await archive.putVerification({ at: new Date(state.nowMs).toISOString(), ...VERIFIED }, signal);
  await flipByte(join(folder, "verified.json"));
  await create().runIfDue(signal);
  assert.match(failures[0] ?? "", /^the record of verifications cannot be read: /);
  assert.equal(state.runs, 1);
  assert.equal((await archive.findVerifications(signal)).lastVerified?.base, "b");
});
