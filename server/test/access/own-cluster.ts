import { startTestCluster, type TestClusterOptions } from "../support/cluster.ts";
import { type Cleanup, createTestDatabase, type TestDatabase } from "../support/database.ts";
import { EXTENSION_SCHEMAS } from "./extension-access.ts";
import { startForgetful } from "../support/forgetful-postgres.ts";
import { createTemporaryFolder } from "../support/temporary-folder.ts";

/** A database on a server that is prepared unlike the one that the other tests share. `cleanup` ends last what began first. */
export async function openOwnCluster(cleanup: Cleanup, options: TestClusterOptions): Promise<TestDatabase> {
  const folder = await createTemporaryFolder(cleanup, "swarmbase-access-");
  const cluster = await startTestCluster(folder, { start: startForgetful, extensions: EXTENSION_SCHEMAS, ...options });
  cleanup.after(() => cluster.stop());
  return createTestDatabase(cleanup, cluster);
}
