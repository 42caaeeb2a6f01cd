import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { test } from "node:test";
import { acquireDirectoryLock, LockHeldError } from "../../src/db/embedded/data-directory-lock.ts";
import { makeFolder } from "./running-service.ts";

const MODULE = new URL("../../src/db/embedded/data-directory-lock.ts", import.meta.url).href;

async function holdInAnotherProcess(
  folder: string,
  role: string,
): Promise<{ pid: number; isHeld: boolean; kill(): Promise<void> }> {
  const source = `
    const { acquireDirectoryLock } = await import(${JSON.stringify(MODULE)});
    await acquireDirectoryLock({ folder: ${JSON.stringify(folder)}, role: ${JSON.stringify(role)}, waitMs: 5000 })
      .catch(() => process.exit(1));
    console.log("held");
    setInterval(() => {}, 1000);`;
  const child = spawn(process.execPath, ["--input-type=module", "-e", source], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const exited = once(child, "exit");
  const isHeld = await Promise.race([once(child.stdout, "data").then(() => true), exited.then(() => false)]);
  return {
    pid: child.pid ?? 0,
    isHeld,
    async kill() {
      child.kill("SIGKILL");
      await exited;
    },
  };
}

test("acquiring the lock of a running service fails at once with its process id, and a killed service leaves no lock", async (t) => {
  const folder = makeFolder(t);
  const other = await holdInAnotherProcess(folder, "service");
  assert.equal(other.isHeld, true);
  const startedAt = performance.now();
  await assert.rejects(
    acquireDirectoryLock({ folder, role: "service", waitMs: 60_000 }),
    (fault) => fault instanceof LockHeldError && fault.ownerPid === other.pid,
  );
  assert.ok(performance.now() - startedAt < 30_000);
  await other.kill();
  const lock = await acquireDirectoryLock({ folder, role: "service", waitMs: 0 });
  await assert.rejects(acquireDirectoryLock({ folder, role: "service", waitMs: 0 }), LockHeldError);
  // The rejected attempt must not have released the lock, which closing the same file elsewhere in the process would do.
  const third = await holdInAnotherProcess(folder, "service");
  await third.kill();
  assert.equal(third.isHeld, false);
  lock.release();
  (await acquireDirectoryLock({ folder, role: "service", waitMs: 0 })).release();
});

test("a start waits for the lock of a watchdog", async (t) => {
  const folder = makeFolder(t);
  const watchdog = await holdInAnotherProcess(folder, "watchdog");
  let hasWaited = false;
  const waiting = acquireDirectoryLock({
    folder,
    role: "service",
    waitMs: 20_000,
    onWait() {
      hasWaited = true;
      void watchdog.kill();
    },
  });
  (await waiting).release();
  assert.equal(hasWaited, true);
});
