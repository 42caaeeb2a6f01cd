import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { chmodSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { after, before, describe, type TestContext, test } from "node:test";
import { listClusterProcesses } from "../../src/db/embedded/cluster-processes.ts";
import { isProcessAlive } from "../../src/db/embedded/process-state.ts";
import { startEmbedded } from "../../src/db/embedded/start-embedded.ts";
import { findFreePort } from "../support/free-port.ts";
import { silentObserver } from "../support/silent-observer.ts";
import {
  clusterOf,
  makeFolder,
  PASSWORD,
  postmasterPid,
  query,
  type ReadyService,
  type ServiceOptions,
  spawnService,
  startService,
  waitUntil,
  waitUntilNothingRuns,
  watchdogPids,
} from "./running-service.ts";

const skip = process.platform === "linux" ? false : "reads /proc";
/** A few with every run of the suite, many with `npm run test:system -- chaos`. */
const ROUNDS = Number(process.env["KILL_ROUNDS"] ?? 2);

/** What all tests begin with: a cluster that was stopped in order. Making one is not what they are about. */
let seedDir = "";

async function makeSeed(): Promise<void> {
  seedDir = mkdtempSync(join(tmpdir(), "sb-embedded-"));
  chmodSync(seedDir, 0o711);
  const server = await startEmbedded({
    dataDir: seedDir,
    wantedPort: 0,
    superuserPassword: PASSWORD,
    observer: silentObserver,
  });
  await query(server.adminUrl, "create table kept as select 42 as answer");
  await server.stop();
  // All that come of it would ask for the same port first.
  const recordFile = join(seedDir, "postgres.json");
  const record = JSON.parse(readFileSync(recordFile, "utf8")) as Record<string, unknown>;
  writeFileSync(recordFile, JSON.stringify({ ...record, port: 0 }));
}

async function startWithRow(
  t: TestContext,
  options?: ServiceOptions,
): Promise<{ dataDir: string; clusterDir: string; service: ReadyService }> {
  const dataDir = makeFolder(t);
  // Owners stay as they are: as root, the database runs under another account.
  execFileSync("cp", ["-a", `${seedDir}/.`, dataDir]);
  const service = await startService(t, dataDir, options);
  return { dataDir, clusterDir: clusterOf(dataDir), service };
}

async function assertGood(service: ReadyService): Promise<void> {
  assert.deepEqual(await query(service.adminUrl, "select answer from kept"), [{ answer: 42 }]);
}

describe("after kill -9", { skip, concurrency: 2 }, () => {
  before(makeSeed);
  after(() => rmSync(seedDir, { recursive: true, force: true }));

  test("of the service, the watchdog stops PostgreSQL and ends", async (t) => {
    const { dataDir, clusterDir, service } = await startWithRow(t, { port: await findFreePort() });
    await service.kill();
    await waitUntilNothingRuns(clusterDir);

    const second = await startService(t, dataDir);
    await assertGood(second);
    assert.equal(second.tcpPort, service.tcpPort, "the port used last is used again");
    assert.equal(
      second.lines.some((line) => line.event === "embedded.leftover_stopped"),
      false,
    );

    await t.test("a start in the same moment works too, several times over", async () => {
      let current = second;
      for (let round = 0; round < ROUNDS; round++) {
        await current.kill();
        current = await startService(t, dataDir);
        await assertGood(current);
      }
      assert.equal(watchdogPids(clusterDir).filter(isProcessAlive).length <= 2, true);
      await current.stop();
      await waitUntilNothingRuns(clusterDir);
    });
  });

  test("of PostgreSQL, it is restarted in the same place", async (t) => {
    const { clusterDir, service } = await startWithRow(t);
    for (const round of [1, 2]) {
      const pid = postmasterPid(clusterDir);
      process.kill(pid, "SIGKILL");
      await waitUntil(
        `restart ${round}`,
        () => service.lines.filter((l) => l.event === "embedded.restarted").length === round,
      );
      await assertGood(service);
      assert.notEqual(postmasterPid(clusterDir), pid);
    }
    await service.stop();
    await waitUntilNothingRuns(clusterDir);
  });

  test("of PostgreSQL, a busy child process does not prevent the restart", async (t) => {
    const { clusterDir, service } = await startWithRow(t);
    // Computes without ever waiting, so it does not see that its parent is gone.
    const busy = query(
      service.adminUrl,
      "select count(*) from generate_series(1, 3000000000) as g where g % 7 = 8",
    ).catch(() => {});
    await waitUntil("the query runs", async () => {
      const rows = await query(
        service.adminUrl,
        "select 1 from pg_stat_activity where query like '%generate_series%' and state = 'active' and pid <> pg_backend_pid()",
      );
      return rows.length > 0;
    });
    process.kill(postmasterPid(clusterDir), "SIGKILL");
    await service.waitFor("embedded.restarted");
    await assertGood(service);
    await busy;
    await service.stop();
    await waitUntilNothingRuns(clusterDir);
  });

  test("of the watchdog, another takes its place", async (t) => {
    const { dataDir, clusterDir, service } = await startWithRow(t);
    const [watchdog] = watchdogPids(clusterDir);
    assert.ok(watchdog !== undefined);
    process.kill(watchdog, "SIGKILL");
    await service.waitFor("embedded.watchdog_lost");
    await waitUntil("a new watchdog", () =>
      watchdogPids(clusterDir)
        .filter(isProcessAlive)
        .some((pid) => pid !== watchdog),
    );
    await assertGood(service);
    await service.kill();
    await waitUntilNothingRuns(clusterDir);
    await assertGood(await startService(t, dataDir));
  });

  test("of a service whose data directory was removed, no process remains", async (t) => {
    const { dataDir, clusterDir, service } = await startWithRow(t);
    rmSync(dataDir, { recursive: true, maxRetries: 5 });
    await service.kill();
    await waitUntilNothingRuns(clusterDir);
    const second = await startService(t, dataDir);
    rmSync(dataDir, { recursive: true, maxRetries: 5 });
    await second.stop();
    assert.deepEqual(await listClusterProcesses(clusterDir), []);
  });

  test("of service and PostgreSQL, the next start recovers", async (t) => {
    const { dataDir, clusterDir, service } = await startWithRow(t);
    process.kill(postmasterPid(clusterDir), "SIGKILL");
    await service.kill();
    const second = await startService(t, dataDir);
    await assertGood(second);
    await second.stop();
    await waitUntilNothingRuns(clusterDir);
  });

  test("of service and watchdog, the next start stops the PostgreSQL left behind", async (t) => {
    const { dataDir, clusterDir, service } = await startWithRow(t);
    const orphan = postmasterPid(clusterDir);
    for (const pid of watchdogPids(clusterDir)) process.kill(pid, "SIGSTOP");
    await service.kill();
    for (const pid of watchdogPids(clusterDir)) process.kill(pid, "SIGKILL");
    assert.equal(isProcessAlive(orphan), true);

    const second = await startService(t, dataDir);
    await assertGood(second);
    assert.ok(second.lines.some((line) => line.event === "embedded.leftover_stopped"));
    assert.equal(isProcessAlive(orphan), false);

    await t.test("of service, watchdog and PostgreSQL together, too", async () => {
      let current = second;
      for (let round = 0; round < ROUNDS; round++) {
        const pids = [...watchdogPids(clusterDir), current.child.pid ?? 0, postmasterPid(clusterDir)];
        for (const pid of pids) process.kill(pid, "SIGKILL");
        current = await startService(t, dataDir);
        await assertGood(current);
      }
      await current.stop();
      await waitUntilNothingRuns(clusterDir);
    });
  });
});

test("a first start that is killed in the middle leaves nothing that looks like a database", { skip }, async (t) => {
  const dataDir = makeFolder(t);
  const home = dirname(clusterOf(dataDir));
  for (const milestone of ["PG_VERSION", "global/pg_control", "base/1"]) {
    const service = spawnService(t, dataDir);
    await waitUntil(`initdb has made ${milestone}`, () =>
      unfinishedIn(home).some((path) => existsSync(join(path, "cluster", milestone))),
    );
    await service.kill();
    assert.equal(existsSync(clusterOf(dataDir)), false);
  }
  const service = await startService(t, dataDir);
  assert.equal((await query(service.adminUrl, "select 1")).length, 1);
  assert.deepEqual(unfinishedIn(home), []);
  await service.stop();
  await waitUntilNothingRuns(clusterOf(dataDir));
});

function unfinishedIn(home: string): string[] {
  if (!existsSync(home)) return [];
  return readdirSync(home)
    .filter((name) => name.startsWith("unfinished-"))
    .map((name) => join(home, name));
}
