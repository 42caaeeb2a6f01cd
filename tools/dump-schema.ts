import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { connectClient, withDatabase } from "../server/src/db/index.ts";
import { startTestCluster, TEMPLATE } from "../server/test/support/cluster.ts";
import { askOver } from "./schema/ask.ts";
import { renderSchema } from "./schema/render-schema.ts";

const root = resolve(`${import.meta.dirname}/..`);
const target = process.argv[2] ?? "server/schema.sql";
const dataDir = await mkdtemp(join(tmpdir(), "swarmbase-schema-"));
try {
  const cluster = await startTestCluster(dataDir, { extensions: [] });
  try {
    const client = await connectClient(withDatabase(cluster.adminUrl, TEMPLATE));
    try {
      await writeFile(resolve(root, target), await renderSchema(askOver(client)));
    } finally {
      await client.end();
    }
  } finally {
    await cluster.stop();
  }
} finally {
  await rm(dataDir, { recursive: true, force: true });
}
console.log(`wrote ${target}`);
