import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { createTemporaryFolder } from "../support/temporary-folder.ts";
import { until } from "../support/until.ts";
import { SEVERAL_STARTS } from "../support/wait-limit.ts";
import { RECEIVER_CA, startReceiver } from "../support/webhook-receiver.ts";
import { isAlive, makeUsedDataDir } from "./program.ts";
import { addUser, namesOf, send, workersOf, Writers } from "./worker-client.ts";
import { REQUESTS, startWorkerService } from "./worker-service.ts";

const WRITERS = 4;
const HEALTH_REQUESTS = 6;

test("two worker processes that are killed, replaced and stopped under load", SEVERAL_STARTS, async (t) => {
  const dataDir = await makeUsedDataDir(t);
  const receiver = await startReceiver(t);
  const receiverCaFile = join(await createTemporaryFolder(t, "swarmbase-receiver-"), "ca.pem");
  await writeFile(receiverCaFile, RECEIVER_CA);
  const env = { DB_MAX_ROWS: "0", AGENT_LIMIT_PER_USER: "100000", WEBHOOK_CA_FILE: receiverCaFile };
  const { program, credentials, readMetric } = await startWorkerService(t, dataDir, env);
  const userId = await addUser(credentials, "writer@example.com");

  await t.test("a killed worker is replaced, no answered write is lost, and all events are delivered", async () => {
    const webhook = { user_id: userId, name: "All", url: receiver.url, events: ["agent.created"] };
    assert.equal((await send(credentials, "/rest/v1/webhooks", { body: webhook })).status, 201);
    const writers = new Writers(credentials, userId, WRITERS);
    await until(() => writers.answered.length >= 20);
    const [killed = 0] = workersOf(program);
    process.kill(killed, "SIGKILL");
    await until(() => workersOf(program).length >= 3, "a new worker serves");
    const soFar = writers.answered.length;
    await until(() => writers.answered.length >= soFar + 20);
    await writers.stop();
    const stored = await namesOf(credentials, userId);
    assert.deepEqual(
      writers.answered.filter((name) => !stored.has(name)),
      [],
    );
    // Each connection of the lost process fails once.
    assert.ok(writers.failures.length <= WRITERS, writers.failures.join("\n"));
    const isDelivered = (name: string): boolean => receiver.received.some(({ body }) => body.includes(`"${name}"`));
    await until(() => writers.answered.every(isDelivered), "the events of all answered writes are delivered");
  });

  await t.test("SIGHUP replaces all workers without a failed request", async () => {
    const old = workersOf(program);
    for (let at = 0; at < HEALTH_REQUESTS; at += 1) await send(credentials, "/health");
    const writers = new Writers(credentials, userId, WRITERS);
    await until(() => writers.answered.length >= 20);
    program.child.kill("SIGHUP");
    const replaced = () => program.lines().filter(({ event }) => event === "process.replaced").length;
    await until(() => replaced() >= 2, "both workers are replaced");
    await writers.stop();
    // On a machine that is too busy, PostgreSQL may accept a connection too late; that is no matter of the replacement.
    const failures = writers.failures.filter((failure) => !failure.includes("The database cannot be reached"));
    assert.deepEqual(failures, []);
    await until(() => !old.some(isAlive), "the replaced workers have ended");
    assert.ok(((await readMetric(REQUESTS))[0] ?? 0) >= HEALTH_REQUESTS, "the counts of ended workers stay");
  });

  await t.test("workers end with a killed primary, and a stop ends all of them", async () => {
    const writers = new Writers(credentials, userId, WRITERS);
    await until(() => writers.answered.length >= 20);
    await program.stop("SIGKILL");
    await until(() => !workersOf(program).some(isAlive), "the workers have ended");
    await writers.stop();
    const again = await startWorkerService(t, dataDir, env);
    const stored = await namesOf(again.credentials, userId);
    assert.deepEqual(
      writers.answered.filter((name) => !stored.has(name)),
      [],
    );
    assert.deepEqual(await again.program.stop("SIGTERM"), { code: 0, signal: null });
    assert.deepEqual(workersOf(again.program).filter(isAlive), []);
  });
});
