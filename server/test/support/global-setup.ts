import { startTestCluster } from "./cluster.ts";
import { createTemporaryFolder } from "./temporary-folder.ts";

/** One PostgreSQL for all test files; each file gets a database cloned from the migrated template. */
const closers: (() => Promise<void>)[] = [];
const cleanup = { after: (close: () => Promise<void>) => void closers.unshift(close) };

export async function globalSetup(): Promise<void> {
  try {
    const cluster = await startTestCluster(await createTemporaryFolder(cleanup, "swarmbase-test-"));
    cleanup.after(() => cluster.stop());
    const { adminUrl, masterKey } = cluster;
    process.env["SWARMBASE_TEST_CLUSTER"] = JSON.stringify({ adminUrl, masterKey });
  } catch (error) {
    // The runner calls no teardown after a setup that failed.
    await globalTeardown();
    throw error;
  }
}

export async function globalTeardown(): Promise<void> {
  for (const close of closers.splice(0)) await close();
}
