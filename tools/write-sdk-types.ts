import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { withDatabase } from "../server/src/db/index.ts";
import { startTestCluster, TEMPLATE } from "../server/test/support/cluster.ts";
import { GENERATED_FOLDERS, renderSdkFiles } from "./sdk/sdk-files.ts";

const root = resolve(`${import.meta.dirname}/..`);
const dataDir = await mkdtemp(join(tmpdir(), "swarmbase-sdk-types-"));
try {
  const cluster = await startTestCluster(dataDir);
  try {
    const { adminUrl, masterKey } = cluster;
    const files = await renderSdkFiles({ url: withDatabase(adminUrl, TEMPLATE), masterKey });
    for (const folder of GENERATED_FOLDERS) await rm(join(root, folder), { recursive: true, force: true });
    for (const [path, text] of files) {
      await mkdir(dirname(join(root, path)), { recursive: true });
      await writeFile(join(root, path), text);
    }
    console.log(`wrote ${files.size} files of clients/sdk/src`);
  } finally {
    await cluster.stop();
  }
} finally {
  await rm(dataDir, { recursive: true, force: true });
}
