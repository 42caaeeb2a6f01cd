import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { isProcessAlive } from "../../src/db/embedded/process-state.ts";
import { startTestCluster, type TestClusterOptions } from "./cluster.ts";
import type { Cluster } from "./database.ts";
import { openExternal } from "./external-postgres.ts";
import { startForgetful, startStock } from "./forgetful-postgres.ts";
import { endProcesses } from "./process-tree.ts";
import { createTemporaryFolder } from "./temporary-folder.ts";

const STOP_TIMEOUT_MS = 20_000;
const KILL_TIMEOUT_MS = 5_000;
const POLL_MS = 50;
const closers: (() => Promise<void>)[] = [];
const cleanup = { after: (close: () => Promise<void>) => void closers.unshift(close) };

export async function globalSetup(): Promise<void> {
  try {
    const externalUrl = process.env["SWARMBASE_TEST_DATABASE_URL"];
    const clusters = {
      SWARMBASE_TEST_CLUSTER: externalUrl === undefined ? startForgetful : () => openExternal(externalUrl),
      ...(process.env["SWARMBASE_TEST_STOCK"] !== undefined && { SWARMBASE_TEST_STOCK_CLUSTER: startStock }),
    };
    const outcomes = await Promise.allSettled(
      Object.entries(clusters).map(async ([variable, start]) => (process.env[variable] = await startShared(start))),
    );
    for (const outcome of outcomes) if (outcome.status === "rejected") throw outcome.reason;
    // Where test files of one run leave things for each other.
    const runFolder = await createTemporaryFolder(cleanup, "swarmbase-run-");
    process.env["SWARMBASE_TEST_RUN"] = runFolder;
    cleanup.after(() => endSharedProcesses(runFolder));
  } catch (error) {
    // The runner calls no teardown after a setup that failed.
    await globalTeardown();
    throw error;
  }
}

/** One PostgreSQL for many test files, each of which gets a database cloned from the migrated template. Returns what they need of it. */
async function startShared(start: NonNullable<TestClusterOptions["start"]>): Promise<string> {
  const folder = await createTemporaryFolder(cleanup, "swarmbase-test-");
  const { stop, ...cluster } = await startTestCluster(folder, { start });
  cleanup.after(stop);
  return JSON.stringify(cluster satisfies Cluster);
}

/** What a test file started for others too outlives it, and has left its id as "<name>.pid". */
async function endSharedProcesses(runFolder: string): Promise<void> {
  const files = (await readdir(runFolder)).filter((name) => name.endsWith(".pid"));
  for (const file of files) {
    const pid = Number.parseInt(await readFile(join(runFolder, file), "utf8"), 10);
    // Zero and less would mean whole groups of processes, our own among them.
    if (!(pid > 1)) continue;
    for (const [signal, waitMs] of [["SIGTERM", STOP_TIMEOUT_MS] as const, ["SIGKILL", KILL_TIMEOUT_MS] as const]) {
      if (isProcessAlive(pid)) endProcesses([{ pid, parentPid: 0 }], signal);
      for (const deadline = Date.now() + waitMs; isProcessAlive(pid) && Date.now() < deadline; ) await wait(POLL_MS);
    }
  }
}

export async function globalTeardown(): Promise<void> {
  for (const close of closers.splice(0)) await close();
}
