import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { access } from "node:fs/promises";
import { constants, getPriority } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { promisify } from "node:util";
import { findFreePort } from "../../../server/test/support/free-port.ts";
import { runHere } from "../../../server/test/support/run-here.ts";
import { startService } from "../../../server/test/support/service.ts";
import { until } from "../../../server/test/support/until.ts";
import { SEVERAL_STARTS } from "../../../server/test/support/wait-limit.ts";
import { flipByte, listArchive } from "./support/archive-folder.ts";
import { openHome } from "./support/swarmbase.ts";
import { listDraftPids, readGauge, removeRecords } from "./support/verification.ts";

/** A home whose service archives to a folder and verifies the archive by schedule. */
async function openVerifiedHome(t: TestContext) {
  const { cleaner, home, dataDir } = await openHome(t);
  const archive = join(home, "archive");
  const metricsPort = await findFreePort();
  const env = {
    DATA_DIR: dataDir,
    EXTENSIONS: "backup",
    BACKUP_DIR: archive,
    BACKUP_WAL_INTERVAL_SECONDS: "1",
    BACKUP_VERIFY_INTERVAL_SECONDS: "3600",
    METRICS_PORT: String(metricsPort),
  };
  return { cleaner, home, dataDir, archive, metricsPort, env };
}

test(
  "a verification that is killed with its service leaves nothing that the next start does not remove, and damage is reported",
  SEVERAL_STARTS,
  async (t) => {
    const { cleaner, home, dataDir, archive, metricsPort, env } = await openVerifiedHome(t);
    const hasProcesses = async (): Promise<boolean> => {
      const { stdout } = await promisify(execFile)("ps", ["-eo", "args"]);
      return stdout.split("\n").some((line) => line.includes(home) && line.includes("verified-copy"));
    };
    const waitForDraft = async (output: () => string): Promise<number> => {
      await until(async () => (await listDraftPids(home)).length > 0, "a verification has begun", output);
      return (await listDraftPids(home))[0] ?? 0;
    };

    const first = await startService(cleaner, { dataDir, env });
    const killed = await waitForDraft(first.output);
    assert.equal(getPriority(killed), constants.priority.PRIORITY_BELOW_NORMAL);
    process.kill(killed, "SIGKILL");
    await first.stop("SIGKILL");
    assert.deepEqual(await listDraftPids(home), [killed], "what the next start has to remove");

    // Without a schedule: a start removes it even if it verifies nothing.
    const second = await startService(cleaner, { dataDir, env: { ...env, BACKUP_VERIFY_INTERVAL_SECONDS: "0" } });
    await until(async () => (await listDraftPids(home)).length === 0, "the copy is removed", second.output);
    await until(async () => !(await hasProcesses()), "its processes have ended");
    await second.stop();

    const third = await startService(cleaner, { dataDir, env });
    await waitForDraft(third.output);
    await third.stop("SIGKILL");
    await until(async () => (await listDraftPids(home)).length === 0, "a verification ends with its service");
    await until(async () => !(await hasProcesses()), "and so do its processes");

    const stopped = await startService(cleaner, { dataDir, env });
    await waitForDraft(stopped.output);
    assert.equal(await stopped.stop(), 0);
    assert.deepEqual(await listDraftPids(home), [], "a planned stop waits until the copy is removed");

    const fourth = await startService(cleaner, { dataDir, env });
    const isVerified = async (): Promise<boolean> => (await readGauge(metricsPort, "verification_success")) === 1;
    await until(isVerified, "an interrupted verification is begun again", fourth.output);
    await fourth.stop();

    const [chain] = await listArchive(archive);
    await flipByte(join(archive, chain?.bases.at(-1)?.names.find((name) => name.includes("/part-")) ?? ""));
    await removeRecords(archive);
    const fifth = await startService(cleaner, { dataDir, env });
    const hasFailed = async (): Promise<boolean> => (await readGauge(metricsPort, "verification_success")) === 0;
    await until(hasFailed, "the damage is found", fifth.output);
    assert.match(fifth.output(), /the verification of the archive failed/);
    assert.match(fifth.output(), /is damaged/);
    assert.equal(await readGauge(metricsPort, "verified_timestamp_seconds"), null);
  },
);

test(
  "the service verifies its archive by schedule, and doctor reports a later verification that failed",
  SEVERAL_STARTS,
  async (t) => {
    const { cleaner, home, dataDir, archive, metricsPort, env } = await openVerifiedHome(t);
    const startedAtSeconds = Date.now() / 1_000;
    const service = await startService(cleaner, { dataDir, env });
    await until(
      () => service.output().includes("verified the archive"),
      "the archive is verified",
      () => service.output(),
    );
    await until(async () => (await readGauge(metricsPort, "verification_success")) === 1, "the gauge has the result");
    for (const name of ["verified_timestamp_seconds", "verification_timestamp_seconds"])
      assert.ok(((await readGauge(metricsPort, name)) ?? 0) >= Math.floor(startedAtSeconds), name);
    assert.deepEqual(await listDraftPids(home), [], "the temporary database is removed");
    const [from, base] = [
      await readGauge(metricsPort, "restorable_timestamp_seconds"),
      await readGauge(metricsPort, "base_timestamp_seconds"),
    ];
    assert.ok(from !== null && from === base && from >= Math.floor(startedAtSeconds), `${from} ${base}`);

    const [chain] = await listArchive(archive);
    const part = chain?.bases.at(-1)?.names.find((name) => name.includes("/part-")) ?? "";
    await flipByte(join(archive, part));
    const other = await runHere(["backup", "--verify"], { ...env, MASTER_KEY: "k".repeat(40) });
    assert.match(other.stderr, /another master key/);
    const healthy = await runHere(["doctor"], env);
    // Another key has not replaced the record.
    assert.match(healthy.stdout, /the archive was verified at 2\S+, to the position [0-9A-F]+\/[0-9A-F]+/);
    const verified = await runHere(["backup", "--verify"], env);
    assert.equal(verified.code, 1, verified.stdout);
    await access(join(archive, "verified.json"));
    const damaged = await runHere(["doctor"], env);
    assert.equal(damaged.code, 1);
    assert.match(
      damaged.stdout,
      /the verification of the archive at 2\S+ failed \(.*is damaged.*\), and it was verified last at 2/,
    );
  },
);
