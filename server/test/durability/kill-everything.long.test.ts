import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { isProcessAlive } from "../../src/db/embedded/process-state.ts";
import { endProcesses, listProcessTree } from "../support/process-tree.ts";
import { type RunningService, startService } from "../support/service.ts";
import { createTemporaryFolder } from "../support/temporary-folder.ts";
import { fillDataDir } from "../support/used-data-dir.ts";
import { SEVERAL_STARTS } from "../support/wait-limit.ts";
import { prepareUser, readAgents, startWriters } from "./agent-writers.ts";
import { until } from "../support/until.ts";

/** `npm run test:system -- chaos` runs more. */
const ROUNDS = Number(process.env["KILL_ROUNDS"] ?? 2);
const WRITERS = 4;
const WRITING_MS = 250;
const ENV = { AGENT_LIMIT_PER_USER: "1000000" };

test("repeated kill -9 of service, watchdog and PostgreSQL loses no answered write", {
  skip: process.platform === "linux" ? false : "reads the process tree from /proc",
  ...SEVERAL_STARTS,
}, async (t) => {
  const dataDir = await createTemporaryFolder(t, "swarmbase-kill-");
  await fillDataDir(dataDir);
  const answered = new Set<string>();
  let service: RunningService = await startService(t, { dataDir, env: ENV });
  await prepareUser(service.credentials.database_url);

  for (let round = 1; round <= ROUNDS; round += 1) {
    const writers = await startWriters(service.credentials.database_url, {
      writers: WRITERS,
      onAnswer: (id) => answered.add(id),
    });
    const before = answered.size;
    await until(() => answered.size >= before + WRITERS, "each writer has an answer");
    await delay(WRITING_MS * (0.5 + Math.random()));
    const killed = await listProcessTree(service.pid);
    assert.ok(killed.length >= 3, "service, watchdog and PostgreSQL run");
    endProcesses(shuffle(killed), "SIGKILL");
    await Promise.all([writers.closed, service.exited]);

    service = await startService(t, { dataDir, env: ENV });
    const { agentIds, agentIdsOfEvents } = await readAgents(service.credentials.database_url);
    const lost = [...answered].filter((id) => !agentIds.has(id));
    assert.deepEqual(lost, [], `round ${round}: every answered write is stored`);
    assert.deepEqual(agentIdsOfEvents, agentIds, `round ${round}: every write has one event and every event its write`);
  }

  t.diagnostic(`${answered.size} answered writes over ${ROUNDS} kills, none lost`);
  assert.ok(answered.size > ROUNDS, "writes were in flight");
  const left = await listProcessTree(service.pid);
  await service.stop();
  // Processes may take a moment to end; an orphan would never end.
  await until(() => !left.some(({ pid }) => isProcessAlive(pid)), "all processes have ended");
});

function shuffle<T>(items: readonly T[]): T[] {
  return items
    .map((item) => ({ item, key: Math.random() }))
    .sort((a, b) => a.key - b.key)
    .map(({ item }) => item);
}
