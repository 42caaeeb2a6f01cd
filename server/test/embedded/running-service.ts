import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { TestContext } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { Client } from "pg";
import { canReach } from "../../src/db/embedded/can-reach.ts";
import type { Account } from "../../src/db/embedded/choose-account.ts";
import { listClusterProcesses } from "../../src/db/embedded/cluster-processes.ts";
import { isProcessAlive } from "../../src/db/embedded/process-state.ts";
import { WAIT_MS } from "../support/wait-limit.ts";

/** All that the process gets of the environment: it is started dozens of times, and most of that is compiling. */
const COMPILE_CACHE = Object.fromEntries(Object.entries(process.env).filter(([name]) => name === "NODE_COMPILE_CACHE"));
export const PASSWORD = "a-superuser-password";

export interface ServiceOptions {
  readonly port?: number;
  readonly password?: string;
  readonly uid?: number;
  readonly gid?: number;
  readonly umask?: string;
}

type Line = Record<string, unknown> & { event: string };

export interface RunningService {
  readonly child: ChildProcess;
  readonly lines: readonly Line[];
  waitFor(event: string): Promise<Line>;
  kill(): Promise<void>;
  stop(): Promise<void>;
}

export interface ReadyService extends RunningService {
  readonly adminUrl: string;
  readonly tcpPort: number;
  readonly socketDir: string;
}

export const NOBODY: Account = { uid: 65534, gid: 65534, name: "nobody" };

/** Why a test cannot run something as nobody, or false. */
export function cannotBeNobody(): string | false {
  if (process.platform !== "linux") return "knows nobody's id on Linux only";
  if (process.getuid?.() !== 0) return "needs root to become somebody else";
  const isReachable = [process.execPath, fileURLToPath(import.meta.url)].every((path) => canReach(path, NOBODY));
  return isReachable ? false : "nobody cannot reach this folder";
}

const spawned: { dataDir: string; service: RunningService }[] = [];

export function makeFolder(t: TestContext): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "sb-embedded-")));
  // As root PostgreSQL runs under another account, which has to get through.
  chmodSync(folder, 0o711);
  t.after(async () => {
    // Hooks run in the order of their registration, and a service must not lose its folder.
    for (const { dataDir, service } of spawned) if (dataDir.startsWith(folder)) await service.stop();
    rmSync(folder, { recursive: true, force: true });
  });
  return folder;
}

export function spawnService(t: TestContext, dataDir: string, o: ServiceOptions = {}): RunningService {
  const script = fileURLToPath(new URL("./run-service.ts", import.meta.url));
  const child = spawn(
    process.execPath,
    ["-C", "swarmbase-source", script, dataDir, String(o.port ?? 0), o.password ?? PASSWORD, o.umask ?? ""],
    {
      stdio: ["pipe", "pipe", "inherit"],
      env: { ...COMPILE_CACHE, TMPDIR: tmpdir() },
      cwd: "/",
      ...(o.uid === undefined ? {} : { uid: o.uid }),
      ...(o.gid === undefined ? {} : { gid: o.gid }),
    },
  );
  const exited = once(child, "exit");
  const lines: Line[] = [];
  let wake = (): void => {};
  createInterface({ input: child.stdout }).on("line", (text) => {
    lines.push(JSON.parse(text) as Line);
    wake();
  });
  child.stdin.on("error", () => {});
  t.after(async () => {
    child.stdin.end();
    await exited;
  });
  const service: RunningService = {
    child,
    lines,
    async waitFor(event) {
      const deadline = performance.now() + WAIT_MS;
      for (;;) {
        const found = lines.find((line) => line.event === event);
        if (found !== undefined) return found;
        const failure = lines.find((line) => line.event === "test.failed");
        if (failure !== undefined) throw new Error(String(failure["message"]));
        if (performance.now() > deadline) throw new Error(`${event} did not come: ${JSON.stringify(lines)}`);
        await Promise.race([new Promise<void>((resolve) => (wake = resolve)), sleep(200)]);
      }
    },
    async kill() {
      child.kill("SIGKILL");
      await exited;
    },
    async stop() {
      child.stdin.end();
      await exited;
    },
  };
  spawned.push({ dataDir, service });
  return service;
}

export async function startService(t: TestContext, dataDir: string, o: ServiceOptions = {}): Promise<ReadyService> {
  const service = spawnService(t, dataDir, o);
  const ready = await service.waitFor("test.ready");
  return {
    ...service,
    adminUrl: String(ready["adminUrl"]),
    tcpPort: Number(ready["tcpPort"]),
    socketDir: String(ready["socketDir"]),
  };
}

export async function query<R extends Record<string, unknown>>(url: string, sql: string): Promise<R[]> {
  const client = new Client({ connectionString: url, connectionTimeoutMillis: 30_000 });
  client.on("error", () => {});
  await client.connect();
  try {
    return (await client.query<R>(sql)).rows;
  } finally {
    await client.end();
  }
}

export function clusterOf(dataDir: string): string {
  return join(dataDir, "postgres", "cluster");
}

export function postmasterPid(clusterDir: string): number {
  return Number.parseInt(readFileSync(join(clusterDir, "postmaster.pid"), "utf8"), 10);
}

export function watchdogPids(clusterDir: string): number[] {
  return readdirSync("/proc").flatMap((name) => {
    if (!/^\d+$/.test(name)) return [];
    try {
      const command = readFileSync(`/proc/${name}/cmdline`, "utf8");
      return command.includes("watchdog.ts") && command.includes(clusterDir) ? [Number(name)] : [];
    } catch {
      return [];
    }
  });
}

export async function waitUntil(what: string, isDone: () => boolean | Promise<boolean>): Promise<void> {
  const deadline = performance.now() + WAIT_MS;
  while (!(await isDone())) {
    if (performance.now() > deadline) throw new Error(`not in time: ${what}`);
    await sleep(20);
  }
}

/** Nothing of a cluster runs: no PostgreSQL, no child of one, no watchdog. */
export async function waitUntilNothingRuns(clusterDir: string): Promise<void> {
  await waitUntil(`${clusterDir} has no process left`, async () => {
    const watchdogs = watchdogPids(clusterDir).filter(isProcessAlive);
    return watchdogs.length === 0 && (await listClusterProcesses(clusterDir)).length === 0;
  });
}
