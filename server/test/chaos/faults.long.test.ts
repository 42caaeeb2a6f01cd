import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { once } from "node:events";
import { appendFile, mkdtemp, rm, rmdir, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { createServer, type TLSSocket } from "node:tls";
import pg from "pg";
import { makeLeaf } from "../../src/http/server/tls/certificate.ts";
import { clusterOf, postmasterPid } from "../embedded/running-service.ts";
import { startRespServer } from "../limits/support/resp-server.ts";
import { endProcesses, listProcessTree } from "../support/process-tree.ts";
import { until } from "../support/until.ts";
import { SEVERAL_STARTS } from "../support/wait-limit.ts";
import { RECEIVER_AUTHORITY } from "../webhooks/support/receiver.ts";
import { openFaultStage } from "./fault-stage.ts";

/** The goal for a fault that nobody has planned. */
const MAX_ERRORS_MS = 5_000;
const WORKER_KILLS = 5;
const MEGABYTE = 1024 * 1024;
const OPTIONS = {
  skip: process.platform === "linux" ? false : "reads the process tree from /proc",
  ...SEVERAL_STARTS,
};

for (const [what, signal] of [
  ["is shut down", "SIGINT"],
  ["is killed", "SIGKILL"],
] as const)
  test(
    `when the embedded PostgreSQL ${what} it is started again within seconds, and nothing answered is lost`,
    OPTIONS,
    async (t) => {
      const { dataDir, observe } = await openFaultStage(t);
      const { writes, reads } = await observe(`PostgreSQL ${what}`, async () => {
        const pid = postmasterPid(clusterOf(dataDir));
        if (signal === "SIGKILL") endProcesses(await listProcessTree(pid), signal);
        else process.kill(pid, signal);
      });
      for (const { errorsForMs, reasons } of [writes, reads]) {
        assert.ok(errorsForMs <= MAX_ERRORS_MS, `${errorsForMs} ms`);
        assert.deepEqual(
          Object.keys(reasons).filter((reason) => reason !== "503"),
          [],
        );
      }
    },
  );

test("replacing all workers fails no request", OPTIONS, async (t) => {
  const { service, observe } = await openFaultStage(t, { env: { WORKERS: "2", STOP_TIMEOUT_MS: "1000" } });
  const { writes, reads } = await observe("workers are replaced", async () => {
    process.kill(service.pid, "SIGHUP");
    await until(() => service.output().split('"event":"process.replaced"').length > 2, "both are replaced");
  });
  assert.deepEqual([writes.failed, reads.failed], [0, 0]);
});

test("a worker that is killed fails only the requests that it had, and is replaced", OPTIONS, async (t) => {
  const { service, observe, growBy } = await openFaultStage(t, { env: { WORKERS: "2" } });
  const { writes, reads } = await observe(`a worker is killed, ${WORKER_KILLS} times`, async () => {
    for (let kill = 1; kill <= WORKER_KILLS; kill += 1) {
      const { pid = 0 } = findStarted(service.output()).at(-1) ?? {};
      process.kill(pid, "SIGKILL");
      await until(() => findStarted(service.output()).length >= 2 + kill, "it is replaced");
      await growBy(20);
    }
  });
  for (const { failed, errorsForMs } of [writes, reads]) {
    // Two connections each, which may both have been at the worker.
    assert.ok(failed <= 2 * 2 * WORKER_KILLS, `${failed} requests`);
    assert.ok(errorsForMs <= MAX_ERRORS_MS, `${errorsForMs} ms`);
  }
});

test("a Redis server that is killed fails no request", OPTIONS, async (t) => {
  const redis = await startRespServer({ after: (close) => t.after(close) });
  const { observe } = await openFaultStage(t, { env: { REDIS_URL: redis.url, LIMIT_API: "1000000" } });
  const { writes, reads } = await observe("Redis is killed", async () => {
    await redis.kill();
    await sleep(2_000);
    await redis.startAgain();
  });
  assert.deepEqual([writes.failed, reads.failed], [0, 0]);
});

test("on a full disk writes are rejected, reads go on, and space ends it", OPTIONS, async (t) => {
  const folder = await mkdtemp(join(tmpdir(), "swarmbase-disk-"));
  if (spawnSync("mount", ["-t", "tmpfs", "-o", "size=700m,mode=0711", "tmpfs", folder]).status !== 0) {
    await rmdir(folder);
    return t.skip("mounts a small file system, which this account may not do");
  }
  const ballast = join(folder, "ballast");
  // A sixteenth of it, 32 MB, is the reserve.
  const opening = openFaultStage(t, { dataDir: folder, env: { DISK_WARNING_BYTES: String(512 * MEGABYTE) } });
  // After what the stage has registered: the service has stopped by then.
  t.after(async () => {
    execFileSync("umount", [folder]);
    await rmdir(folder);
  });
  const { service, writer, observe } = await opening;
  const { writes, reads } = await observe("the disk is full", async () => {
    await writeFile(ballast, "");
    const block = Buffer.alloc(MEGABYTE);
    // Until nothing more fits, as a program that fills the disk does it.
    for (let isFull = false; !isFull; )
      await appendFile(ballast, block).catch(() => {
        isFull = true;
      });
    await until(() => service.output().includes('"event":"storage.full"'), "writes are rejected");
    const rejected = await writer.ask("/rest/v1/agents", { body: { name: "Ada", framework: "provider_a" } });
    assert.equal(rejected.status, 503);
    assert.match(String(rejected.headers["retry-after"]), /^\d+$/);
    assert.equal((await writer.ask("/ready", { method: "GET" })).status, 503);
    await sleep(3_000);
    await rm(ballast);
  });
  assert.equal(reads.failed, 0);
  assert.ok(writes.failed > 0);
  assert.match(service.output(), /"event":"storage\.writable"/);
});

test("when others take all connections of the database, requests use those that are open", OPTIONS, async (t) => {
  const { service, observe, growBy } = await openFaultStage(t);
  const taken: pg.Client[] = [];
  const { writes, reads } = await observe("no connection is left", async () => {
    for (;;) {
      const client = new pg.Client({ connectionString: service.credentials.database_url });
      client.on("error", () => {});
      const isTaken = await client.connect().then(
        () => true,
        () => false,
      );
      if (!isTaken) break;
      taken.push(client);
    }
    await growBy(50);
    await Promise.all(taken.map((client) => client.end()));
  });
  assert.deepEqual([writes.failed, reads.failed], [0, 0]);
});

test(
  "a receiver that trickles and one whose name does not resolve delay neither requests nor other receivers",
  OPTIONS,
  async (t) => {
    const { receiver, writer, observe, answered } = await openFaultStage(t, { env: { WEBHOOK_TIMEOUT_MS: "2000" } });
    const trickling = await startTrickle(t);
    const add = (url: string): Promise<string> =>
      writer.insert("webhooks", { name: "chaos", url, events: ["agent.created"] });
    await add(`${receiver.url}/prompt`);
    await add(trickling);
    await add("https://receiver.invalid/");
    const { writes, reads } = await observe("receivers that do not answer", () => sleep(5_000));
    assert.deepEqual([writes.failed, reads.failed], [0, 0]);
    const ids = (): Set<string> =>
      new Set(receiver.received.map(({ body }) => (JSON.parse(body) as { data: { agent_id: string } }).data.agent_id));
    const endedMs = performance.now();
    await until(() => answered.every((id) => ids().has(id)), "the prompt receiver has everything");
    t.diagnostic(
      `the prompt receiver had everything ${Math.round(performance.now() - endedMs)} ms after the last write`,
    );
  },
);

test("heavy reads of 500 connections leave other users their share", OPTIONS, async (t) => {
  const { writer, growBy, observe } = await openFaultStage(t);
  const { status } = await writer.ask("/rest/v1/agents", {
    body: Array.from({ length: 2_000 }, (_, n) => ({ name: `Ada ${n}`, framework: "provider_a" })),
  });
  assert.equal(status, 201);
  const { writes, reads } = await observe("500 connections of heavy reads", async () => {
    const heavy = Promise.allSettled(
      Array.from({ length: 500 }, () =>
        writer.ask("/rest/v1/agents?select=*,swarms:swarm_agents(*)&order=name.desc,created_at", { method: "GET" }),
      ),
    );
    await growBy(20);
    await heavy;
  });
  // The user who reads so much may get 503; others may not.
  assert.equal(reads.failed, 0);
  assert.ok(writes.requests > 500);
});

/** Sends a byte a second, for as long as somebody listens. */
async function startTrickle(t: { after(close: () => Promise<void>): void }): Promise<string> {
  const validity = { notBefore: new Date(Date.now() - 86_400_000), notAfter: new Date(Date.now() + 86_400_000) };
  const { key, cert } = makeLeaf(RECEIVER_AUTHORITY, validity);
  const sockets = new Set<TLSSocket>();
  const server = createServer({ key, cert }, (socket) => {
    sockets.add(socket);
    socket.on("error", () => {});
    socket.write("HTTP/1.1 200 OK\r\n");
    const timer = setInterval(() => socket.write("x"), 1_000);
    socket.on("close", () => {
      clearInterval(timer);
      sockets.delete(socket);
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  t.after(async () => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  const address = server.address();
  return `https://localhost:${typeof address === "object" ? address?.port : ""}/`;
}

/** The workers that have started to serve, in order. */
function findStarted(output: string): readonly { readonly pid: number }[] {
  return output
    .split("\n")
    .filter((line) => line.includes('"event":"process.started"'))
    .map((line) => JSON.parse(line) as { readonly pid: number });
}
