import assert from "node:assert/strict";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import type { CredentialsFile } from "../../src/auth/index.ts";
import { RawClient } from "../realtime/support/raw-client.ts";
import { findFreePort } from "../support/free-port.ts";
import { createTemporaryFolder } from "../support/temporary-folder.ts";
import { until } from "../support/until.ts";
import { SEVERAL_STARTS } from "../support/wait-limit.ts";
import { RECEIVER_CA, startReceiver } from "../support/webhook-receiver.ts";
import { isAlive, makeUsedDataDir, type Program, readCredentials, runProgram } from "./program.ts";
import { addUser, namesOf, openIdle, send, workersOf, Writers } from "./worker-client.ts";

const LIMIT = 20;
const CONNECTIONS = 12;
const WRITERS = 4;

interface Service {
  readonly program: Program;
  readonly credentials: CredentialsFile;
  readonly dataDir: string;
  readonly metricsUrl: string;
}

async function start(t: TestContext, dataDir: string, receiverCaFile: string): Promise<Service> {
  const metricsPort = String(await findFreePort());
  const program = runProgram(t, ["serve"], {
    env: {
      DATA_DIR: dataDir,
      WORKERS: "2",
      LOG_LEVEL: "info",
      LIMIT_API: String(LIMIT),
      CONNECTIONS_PER_ADDRESS: String(CONNECTIONS),
      DB_MAX_ROWS: "0",
      AGENT_LIMIT_PER_USER: "100000",
      METRICS_PORT: metricsPort,
      WEBHOOK_CA_FILE: receiverCaFile,
    },
  });
  // A reload that is sent too early must not end the start.
  await program.waitFor("embedded.started");
  program.child.kill("SIGHUP");
  await program.waitFor("service.started");
  const credentials = await readCredentials(dataDir);
  return { program, credentials, dataDir, metricsUrl: `http://127.0.0.1:${metricsPort}/metrics` };
}

async function readMetric({ metricsUrl }: Service, start: string): Promise<number[]> {
  const text = await (await fetch(metricsUrl)).text();
  return text.split("\n").flatMap((line) => (line.startsWith(start) ? [Number(line.split(" ").at(-1))] : []));
}

const REQUESTS = 'swarmbase_http_requests_total{method="GET",route="/health"';

test("two worker processes on one port", SEVERAL_STARTS, async (t) => {
  const dataDir = await makeUsedDataDir(t);
  const receiver = await startReceiver(t);
  const receiverCaFile = join(await createTemporaryFolder(t, "swarmbase-receiver-"), "ca.pem");
  await writeFile(receiverCaFile, RECEIVER_CA);
  const service = await start(t, dataDir, receiverCaFile);
  const { program, credentials } = service;
  const userId = await addUser(credentials, "writer@example.com");

  await t.test("a limit is exact over both", async () => {
    const statuses: number[] = [];
    const ask = async () => {
      for (let at = 0; at < LIMIT / 2; at += 1)
        statuses.push((await send(credentials, "/rest/v1/agents", { asAnon: credentials.anon_key })).status);
    };
    await Promise.all(Array.from({ length: 4 }, ask));
    assert.equal(statuses.filter((status) => status === 429).length, LIMIT);
  });

  await t.test("the connections of an address are counted over both; the longest idle ones make room", async () => {
    const sockets: Awaited<ReturnType<typeof openIdle>>[] = [];
    for (let at = 0; at < CONNECTIONS + 2; at += 1) sockets.push(await openIdle(credentials));
    const isOpen = ({ closed }: { readonly closed: boolean }) => !closed;
    // Connections of the test before may have counted for a moment, too. The client may learn of the first end last.
    await until(() => sockets.filter(isOpen).length <= CONNECTIONS && sockets.findIndex(isOpen) >= 2);
    assert.ok(sockets.slice(sockets.findIndex(isOpen)).every(isOpen), "the oldest ones were closed");
    for (const socket of sockets) socket.destroy();
  });

  await t.test("metrics are sums over both, and name the workers", async () => {
    const before = (await readMetric(service, REQUESTS))[0] ?? 0;
    for (let at = 0; at < 6; at += 1) await send(credentials, "/health");
    assert.deepEqual(await readMetric(service, REQUESTS), [before + 6]);
    for (const worker of ["1", "2", "primary"])
      assert.equal((await readMetric(service, `process_cpu_seconds_total{worker="${worker}"}`)).length, 1);
    const noted = program.lines().flatMap(({ workerId, event }) => (event === "realtime.live" ? [workerId] : []));
    assert.deepEqual(new Set(noted), new Set([undefined, 1, 2]));
  });

  await t.test("sockets of each worker receive the writes of all", async (group) => {
    const [ca, apikey] = [await readFile(credentials.ca_cert_file ?? "", "utf8"), credentials.service_role_key];
    const binding = { event: "INSERT", schema: "public", table: "agents", filter: `user_id=eq.${userId}` };
    const sockets: RawClient[] = [];
    for (let at = 0; at < 4; at += 1) {
      const socket = await RawClient.open(group, credentials.url, { apikey, ca });
      await socket.join("realtime:agents", { postgres_changes: [binding] });
      // Follows the confirmation that later changes arrive.
      await socket.nextEvent("system");
      sockets.push(socket);
    }
    for (const worker of ["1", "2"])
      assert.notDeepEqual(await readMetric(service, `swarmbase_sockets{worker="${worker}"}`), [0]);
    const names = ["a", "b", "c", "d"];
    // Each on a connection of its own, so that both workers write.
    for (const name of names) await send(credentials, "/rest/v1/agents", { body: { user_id: userId, name } });
    for (const socket of sockets)
      await socket.until(
        () => socket.frames.filter(([, , , event]) => event === "postgres_changes").length >= names.length,
      );
  });

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
    assert.ok(((await readMetric(service, REQUESTS))[0] ?? 0) >= 6, "the counts of ended workers stay");
  });

  await t.test("workers end with a killed primary, and a stop ends all of them", async () => {
    const writers = new Writers(credentials, userId, WRITERS);
    await until(() => writers.answered.length >= 20);
    await program.stop("SIGKILL");
    await until(() => !workersOf(program).some(isAlive), "the workers have ended");
    await writers.stop();
    const again = await start(t, dataDir, receiverCaFile);
    const stored = await namesOf(again.credentials, userId);
    assert.deepEqual(
      writers.answered.filter((name) => !stored.has(name)),
      [],
    );
    assert.deepEqual(await again.program.stop("SIGTERM"), { code: 0, signal: null });
    assert.deepEqual(workersOf(again.program).filter(isAlive), []);
  });
});
