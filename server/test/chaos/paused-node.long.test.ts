import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { startService } from "../support/service.ts";
import { createTemporaryFolder } from "../support/temporary-folder.ts";
import { until } from "../support/until.ts";
import { SEVERAL_STARTS } from "../support/wait-limit.ts";
import { ChaosClient, renderSeen } from "./client.ts";
import { openFaultStage } from "./fault-stage.ts";

const PAUSE_MS = 60_000;

test("clients of a node that is paused for a minute wait, and those of the other one notice nothing", {
  skip: process.platform === "win32" ? "needs SIGSTOP" : false,
  ...SEVERAL_STARTS,
}, async (t) => {
  const { service, dataDir, cleanup, receiver, writer, answered, observe } = await openFaultStage(t);
  const otherDir = await createTemporaryFolder(cleanup, "swarmbase-other-node-");
  const other = await startService(cleanup, {
    dataDir: otherDir,
    env: {
      DATABASE_URL: service.credentials.database_url,
      MASTER_KEY: (await readFile(join(dataDir, "master.key"), "utf8")).trim(),
      WEBHOOK_CA_FILE: join(dataDir, "receiver-ca.pem"),
      NODE_ENV: "test",
    },
  });
  const neighbour = await ChaosClient.signUp(other.credentials);
  cleanup.after(async () => neighbour.close());
  await writer.insert("webhooks", { name: "hook", url: receiver.url, events: ["agent.created"] });
  const insert = (): Promise<string> => neighbour.insert("agents", { name: "Bo", framework: "provider_a" });
  let isOver = false;
  const inserting = (async () => {
    for (; !isOver; await sleep(5)) await insert().catch(() => {});
  })();
  await observe("a node is paused, its own clients", async () => {
    process.kill(service.pid, "SIGSTOP");
    await sleep(PAUSE_MS);
    process.kill(service.pid, "SIGCONT");
  });
  isOver = true;
  await inserting;
  const seen = neighbour.describe();
  t.diagnostic(`a node is paused, clients of the other one; writes: ${renderSeen(seen)}`);
  assert.equal(seen.failed, 0);
  // The other node delivers what the paused one had claimed; receivers know repetitions by the id of the delivery.
  const hasArrived = (id: string): boolean => receiver.received.some(({ body }) => body.includes(id));
  await until(() => answered.every(hasArrived), "every answered write is delivered");
});
