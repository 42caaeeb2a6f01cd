import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { accessSync, constants } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { describe, it, type TestContext } from "node:test";
import { connectStore, openLimits, type Standing } from "../../src/limits/index.ts";
import type { Observer } from "../../src/observe/index.ts";
import { systemClock } from "../../src/time/index.ts";

const PROGRAM = ["valkey-server", "redis-server"].map(findProgram).find((path) => path !== null) ?? null;
const SETTINGS = { limitApi: 3, limitAuth: 0, limitAi: 0, limitTools: 0, limitWebhooks: 0 };

function findProgram(name: string): string | null {
  for (const folder of (process.env["PATH"] ?? "").split(delimiter)) {
    const path = join(folder, name);
    try {
      accessSync(path, constants.X_OK);
      return path;
    } catch {}
  }
  return null;
}

async function findFreePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  server.close();
  await once(server, "close");
  return typeof address === "object" && address !== null ? address.port : 0;
}

async function startStore(t: TestContext, port: number): Promise<{ stop(): Promise<void> }> {
  const folder = await mkdtemp(join(tmpdir(), "swarmbase-redis-"));
  const args = ["--port", String(port), "--bind", "127.0.0.1", "--dir", folder, "--save", "", "--appendonly", "no"];
  const child = spawn(PROGRAM ?? "", args, { stdio: "ignore" });
  const exited = once(child, "exit");
  const stop = async () => {
    child.kill("SIGTERM");
    await exited;
  };
  t.after(async () => {
    await stop();
    await rm(folder, { recursive: true, force: true });
  });
  return { stop };
}

function openNode(t: TestContext, port: number) {
  const notes: string[] = [];
  const observer: Observer = { note: (name) => void notes.push(name), child: () => observer };
  const { store, close } = connectStore(`redis://127.0.0.1:${port}`, observer);
  t.after(() => close());
  return { limits: openLimits({ settings: SETTINGS, store, clock: systemClock, observer }), store, notes };
}

async function until(isTrue: () => boolean | Promise<boolean>): Promise<void> {
  const deadlineMs = performance.now() + 15_000;
  while (!(await isTrue())) {
    if (performance.now() > deadlineMs) throw new Error("the condition did not come true");
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

const outcome = (standing: Standing | null): number | "exceeded" | null =>
  standing === null ? null : standing.isExceeded ? "exceeded" : standing.remaining;

describe("a real store", { skip: PROGRAM === null && "neither valkey-server nor redis-server is on the PATH" }, () => {
  it("counts for two nodes together, and is done without while it is away", async (t) => {
    const port = await findFreePort();
    const first = await startStore(t, port);
    const [a, b] = [openNode(t, port), openNode(t, port)];
    await until(() => a.store.isReady && b.store.isReady);
    const together = [
      await a.limits.take("api", "k"),
      await b.limits.take("api", "k"),
      await a.limits.take("api", "k"),
    ];
    assert.deepEqual(together.map(outcome), [2, 1, 0]);
    assert.equal(outcome(await b.limits.take("api", "k")), "exceeded");
    assert.ok((together[0]?.resetAt.getTime() ?? 0) - Date.now() <= 60_000);

    await first.stop();
    await until(() => !a.store.isReady);
    assert.equal(outcome(await a.limits.take("api", "other")), 2);
    await until(() => a.notes.includes("limits.store_away"));

    await startStore(t, port);
    await until(async () => {
      await a.limits.take("api", `probe-${performance.now()}`);
      return a.notes.includes("limits.store_back");
    });
  });
});
