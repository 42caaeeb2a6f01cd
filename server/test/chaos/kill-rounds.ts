import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Cleanup } from "../support/database.ts";
import { endProcesses, listProcessTree } from "../support/process-tree.ts";
import { type RunningService, startService } from "../support/service.ts";
import { createTemporaryFolder } from "../support/temporary-folder.ts";
import { fillDataDir } from "../support/used-data-dir.ts";
import { RECEIVER_CA, type Receiver, startReceiver } from "../webhooks/support/receiver.ts";
import { until } from "../webhooks/support/stage.ts";
import { openWriter } from "./writer.ts";

const WRITERS = 4;
const ENDPOINTS = ["/a", "/b", "/c"] as const;
const LEAST_LOAD_MS = 150;
const MORE_LOAD_MS = 500;
/** After as many answers, more than can have been on their way, the service is really back. */
const ANSWERS_WHEN_BACK = 10;

/** Who dies: the service alone, PostgreSQL and all of its processes, or everything at once. */
export type Victim = "service" | "database" | "everything";

export interface ChaosResult {
  readonly receiver: Receiver;
  readonly paths: readonly string[];
  /** Agents whose creation was answered. */
  readonly answered: ReadonlySet<string>;
  readonly service: RunningService;
}

/** A user writes, three endpoints listen, and the victims are killed in turn. Ends with the service running. */
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
    AUTH_PASSWORD_MEMORY_KIB: "8192",
    AUTH_PASSWORD_ITERATIONS: "1",
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
      await sleep(LEAST_LOAD_MS + MORE_LOAD_MS * Math.random());
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
  const wanted = answered.size + ANSWERS_WHEN_BACK;
  await until(() => answered.size >= wanted, "writes are answered again");
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
      const postgres = tree.filter((_, at) => names[at] === "postgres");
      if (postgres.length === 0) throw new Error("there is no database to kill");
      return endProcesses(postgres, "SIGKILL");
    }
  }
}

async function readName(pid: number): Promise<string> {
  // One that has ended meanwhile has no name any more.
  return (await readFile(`/proc/${pid}/comm`, "utf8").catch(() => "")).trim();
}
