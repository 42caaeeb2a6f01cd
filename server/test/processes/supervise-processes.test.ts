import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { describe, test } from "node:test";
import type { ObservationName, Observer } from "../../src/observe/index.ts";
import { decideProcessCount, mayHaveWorkerProcesses, superviseProcesses } from "../../src/processes/index.ts";
import { until } from "../support/until.ts";

const QUICK = { healthyAfterMs: 60_000, restartDelaysMs: [0, 1, 1] };

/** Runs these programs, one for each start, and the last one for all others. */
async function superviseScripts(count: number, scripts: readonly string[]) {
  const notes: ObservationName[] = [];
  const observer: Observer = { note: (name) => void notes.push(name), child: () => observer };
  const [started, ready, lost, retired]: [number[], Set<number>, number[], number[]] = [[], new Set(), [], []];
  const workers = await superviseProcesses({
    count,
    observer,
    stopTimeoutMs: 60_000,
    fork: (id) => {
      const script = scripts[Math.min(started.length, scripts.length - 1)] ?? "";
      const child = spawn(process.execPath, ["-e", script], { stdio: ["pipe", "pipe", "ignore"] });
      const exited = once(child, "exit").then(([code, signal]) => ({ code, signal }));
      started.push(child.pid ?? 0);
      return { id, pid: child.pid, child, exited };
    },
    start: async ({ child }) => void (await once(child.stdout, "data")),
    onReady: ({ pid }) => void ready.add(pid ?? 0),
    onLeft: ({ pid }) => void ready.delete(pid ?? 0),
    onLost: ({ pid }) => void lost.push(pid ?? 0),
    retire: ({ pid, child }) => {
      retired.push(pid ?? 0);
      child.stdin.end();
    },
    stop: ({ child }) => void child.stdin.end(),
    times: QUICK,
  });
  return { workers, notes, started, ready, lost, retired };
}

/** Serves until its input ends. */
const SERVES = "console.log('ready'); process.stdin.resume().on('end', () => process.exit(0))";
const SERVES_LATE = `setTimeout(() => { ${SERVES} }, 1000)`;
const CRASHES = "console.log('ready'); setTimeout(() => process.exit(3), 1)";
const NEVER_READY = "process.exit(4)";

describe("the supervisor of worker processes", () => {
  test("starts one again that ends, and tells which was lost", async () => {
    const { workers, started, ready, lost } = await superviseScripts(2, [SERVES]);
    const [first = 0, second = 0] = started;
    process.kill(first, "SIGKILL");
    await until(() => ready.size >= 2 && started.length >= 3);
    assert.deepEqual(lost, [first]);
    assert.deepEqual(ready, new Set([second, started[2]]));
    await workers.stopAll();
    assert.equal(ready.size, 0);
    assert.deepEqual(lost, [first], "a stop loses none");
  });

  test("reports a crash loop instead of starting one forever", async () => {
    const { workers, notes, started } = await superviseScripts(1, [CRASHES]);
    await assert.rejects(workers.failed, /worker process 1 has ended 4 times soon after its start/);
    assert.equal(started.length, 4);
    assert.equal(notes.at(-1), "process.crash_loop");
    await workers.stopAll();
  });

  test("replaces one after the other, each after its replacement serves", async () => {
    const { workers, notes, started, ready, retired, lost } = await superviseScripts(2, [SERVES]);
    const old = started.slice();
    await workers.replaceAll();
    assert.deepEqual(new Set(retired), new Set(old));
    assert.deepEqual(ready, new Set(started.slice(2)));
    assert.deepEqual([lost, notes.filter((name) => name === "process.replaced").length], [[], 2]);
    await workers.stopAll();
  });

  test("replaces one that is being started after a crash, too", async () => {
    const { workers, notes, started, ready } = await superviseScripts(1, [SERVES, SERVES_LATE, SERVES]);
    process.kill(started[0] ?? 0, "SIGKILL");
    await until(() => started.length === 2);
    await workers.replaceAll();
    assert.deepEqual([started.length, ready], [3, new Set([started[2]])]);
    assert.equal(notes.at(-1), "process.replaced");
    await workers.stopAll();
  });

  test("keeps the current ones when a replacement does not start", async () => {
    const { workers, notes, started, ready } = await superviseScripts(1, [SERVES, NEVER_READY]);
    await workers.replaceAll();
    assert.equal(notes.at(-1), "process.replacement_failed");
    assert.deepEqual(ready, new Set([started[0]]));
    await workers.stopAll();
  });

  test("fails to start when a worker does", async () => {
    await assert.rejects(superviseScripts(2, [SERVES, NEVER_READY]), /ended while it started \(code 4\)/);
  });
});

describe("the number of workers", () => {
  const GB = 1024 ** 3;

  test("is one process without a primary on two cores, with little memory and on Windows, unless it is set", () => {
    const may = (wanted: number, cores: number, memoryBytes = 64 * GB, platform: NodeJS.Platform = "linux") =>
      mayHaveWorkerProcesses(wanted, { cores, memoryBytes, platform });
    assert.deepEqual(
      [may(0, 2), may(0, 3), may(0, 8, 64 * GB, "win32"), may(1, 8), may(2, 1), may(0, 8, GB / 2), may(2, 8, GB / 2)],
      [false, true, false, false, true, false, true],
    );
  });

  test("follows the cores as far as there is memory and the database has connections", () => {
    const decide = (cores: number, ofServer: number, memoryBytes = 64 * GB) =>
      decideProcessCount(0, { cores, memoryBytes }, { ofServer, ofProcess: 36 });
    assert.deepEqual([decide(4, 97), decide(4, 400), decide(4, 20), decide(16, 397)], [2, 4, 1, 11]);
    assert.deepEqual([decide(64, 9_000, 2 * GB), decide(64, 9_000, GB / 4), decide(2, 9_000, 2 * GB)], [4, 1, 2]);
    assert.equal(decideProcessCount(0, { cores: 8, memoryBytes: 64 * GB }, null), 8);
    assert.equal(decideProcessCount(3, { cores: 8, memoryBytes: GB }, { ofServer: 36, ofProcess: 36 }), 3);
  });
});
