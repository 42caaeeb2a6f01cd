import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Cleanup } from "../support/database.ts";
import { endProcesses, listProcessTree } from "../support/process-tree.ts";
import { type RunningService, startService } from "../support/service.ts";
import { createTemporaryFolder } from "../support/temporary-folder.ts";
import { fillDataDir } from "../support/used-data-dir.ts";
import { RECEIVER_CA, type Receiver, startReceiver } from "../webhooks/support/receiver.ts";
import { openWriter } from "./writer.ts";
import { until } from "../support/until.ts";

const WRITERS = 4;
const ENDPOINTS = ["/a", "/b", "/c"] as const;
const MIN_LOAD_MS = 150;
const MAX_EXTRA_LOAD_MS = 500;
/** More answers than can have been in flight, so the service has restarted. */
const ANSWERS_AFTER_RESTART = 10;

/** What is killed: the service alone, all processes of PostgreSQL, or both. */
export type Victim = "service" | "database" | "everything";

export interface ChaosResult {
  readonly receiver: Receiver;
  readonly paths: readonly string[];
  /** Agents whose creation was answered. */
  readonly answered: ReadonlySet<string>;
  readonly service: RunningService;
}

/** Writes as one user with three webhooks while the victims are killed in turn. Returns with the service running. */
export async function runKillRounds(t: Cleanup, victims: readonly Victim[]): Promise<ChaosResult> {
  const dataDir = await createTemporaryFolder(t, "swarmbase-chaos-");
  await fillDataDir(dataDir);
  const receiver = await startReceiver(t);
  const caFile = join(dataDir, "receiver-ca.pem");
  await writeFile(caFile, RECEIVER_CA);
  const env: Record<string, string> = {
    NODE_ENV: "test",
    LOG_LEVEL: "warn",
    AGENT_LIMIT_PER_USER: "1000000",
    LIMIT_API: "0",
    WEBHOOK_CA_FILE: caFile,
    WEBHOOK_RETRY_SCHEDULE: "0,1",
  };
  let service = await startService(t, { dataDir, env });
  env["PORT"] = new URL(service.credentials.url).port;
  const writer = await openWriter(service.credentials);
  for (const path of ENDPOINTS) await writer.addWebhook(receiver.url + path);

  const answered = new Set<string>();
  const stopped = new AbortController();
  const writing = Promise.all(
    Array.from({ length: WRITERS }, () => writer.write((id) => answered.add(id), stopped.signal)),
  );
  try {
    for (const victim of victims) {
      await waitUntilBack(answered);
      await sleep(MIN_LOAD_MS + MAX_EXTRA_LOAD_MS * Math.random());
      await kill(service, victim);
      if (victim !== "database") {
        await service.exited;
        service = await startService(t, { dataDir, env });
      }
    }
    await waitUntilBack(answered);
  } finally {
    stopped.abort();
    await writing;
    writer.close();
  }
  return { receiver, paths: ENDPOINTS, answered, service };
}

async function waitUntilBack(answered: ReadonlySet<string>): Promise<void> {
  const target = answered.size + ANSWERS_AFTER_RESTART;
  await until(() => answered.size >= target, "writes are answered again");
}

async function kill({ pid }: RunningService, victim: Victim): Promise<void> {
  const tree = await listProcessTree(pid);
  switch (victim) {
    case "service":
      return endProcesses(tree.slice(0, 1), "SIGKILL");
    case "everything":
      return endProcesses(tree, "SIGKILL");
    case "database": {
      const names = await Promise.all(tree.map((entry) => readName(entry.pid)));
      const postgres = tree.filter((_, index) => names[index] === "postgres");
      if (postgres.length === 0) throw new Error("there is no database to kill");
      return endProcesses(postgres, "SIGKILL");
    }
  }
}

async function readName(pid: number): Promise<string> {
  // The process may have ended.
  return (await readFile(`/proc/${pid}/comm`, "utf8").catch(() => "")).trim();
}
