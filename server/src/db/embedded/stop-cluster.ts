import { rm } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";
import { findProcessOwner, listClusterProcesses } from "./cluster-processes.ts";
import { errorCode } from "../../crypto/index.ts";
import { EmbeddedError } from "./embedded-error.ts";
import { postmasterFilePath, readPostmasterFile } from "./postmaster-file.ts";
import { hasProcess, isProcessAlive, killQuietly } from "./process-state.ts";
import { runProgram } from "./run-program.ts";

export type StopOutcome = "nothing" | "stopped" | "forced";

interface StopOptions {
  readonly clusterDir: string;
  /** Used on Windows only; elsewhere the processes get signals. */
  readonly pgCtl?: string;
  readonly timeoutMs?: number;
}

const POLL_MS = 10;
/** For a fast shutdown: clients are disconnected, everything is written to disk. */
const FAST_MS = 10_000;
/** For an immediate shutdown, after which the next start recovers. */
const IMMEDIATE_MS = 6_000;
const LINGER_MS = 1_500;
const KILL_WAIT_MS = 5_000;

/** Ends all processes of a cluster. Requires the lock of its data directory. */
export async function stopCluster(o: StopOptions): Promise<StopOutcome> {
  const { clusterDir } = o;
  const pid = (await readPostmasterFile(clusterDir))?.pid ?? null;
  const isRunning = pid !== null && (await findProcessOwner(pid, clusterDir)) === "cluster";
  const outcome = isRunning ? await stopPostmaster(pid, o) : "nothing";
  const hadChildren = await endLingeringProcesses(clusterDir);
  if (pid !== null && process.platform === "linux") await removeMisleadingFile(pid, clusterDir);
  return outcome === "nothing" && hadChildren ? "forced" : outcome;
}

async function stopPostmaster(pid: number, o: StopOptions): Promise<StopOutcome> {
  const steps = [
    ["SIGINT", o.timeoutMs ?? FAST_MS],
    ["SIGQUIT", IMMEDIATE_MS],
    ["SIGKILL", KILL_WAIT_MS],
  ] as const;
  for (const [signal, waitMs] of steps) {
    if ((await findProcessOwner(pid, o.clusterDir)) !== "cluster") return "stopped";
    await sendSignal(pid, signal, o.pgCtl ?? "pg_ctl");
    if (await waitUntil(() => Promise.resolve(!isProcessAlive(pid)), waitMs)) {
      return signal === "SIGINT" ? "stopped" : "forced";
    }
  }
  throw new EmbeddedError(`PostgreSQL (process ${pid}) on ${o.clusterDir} does not end, not even when killed.`);
}

/** The children of a killed postmaster live until they notice it, and a new postmaster does not start beside them. */
async function endLingeringProcesses(clusterDir: string): Promise<boolean> {
  const first = await listClusterProcesses(clusterDir);
  if (first.length === 0) return false;
  if (await waitUntil(async () => (await listClusterProcesses(clusterDir)).length === 0, LINGER_MS)) return true;
  for (const pid of await listClusterProcesses(clusterDir)) killQuietly(pid);
  if (await waitUntil(async () => (await listClusterProcesses(clusterDir)).length === 0, KILL_WAIT_MS)) return true;
  throw new EmbeddedError(`Processes of an earlier PostgreSQL on ${clusterDir} do not end, not even when killed.`);
}

/** PostgreSQL does not start while any process has the old id, even an unrelated one or a zombie. */
async function removeMisleadingFile(pid: number, clusterDir: string): Promise<void> {
  if (!hasProcess(pid) || (await findProcessOwner(pid, clusterDir)) !== "other") return;
  await rm(postmasterFilePath(clusterDir), { force: true });
}

async function sendSignal(pid: number, signal: "SIGINT" | "SIGQUIT" | "SIGKILL", pgCtl: string): Promise<void> {
  if (process.platform === "win32" && signal !== "SIGKILL") {
    await runProgram(pgCtl, ["kill", signal.slice(3), String(pid)], { account: null });
    return;
  }
  try {
    process.kill(pid, signal);
  } catch (fault) {
    if (errorCode(fault) === "ESRCH") return;
    throw new EmbeddedError(
      `PostgreSQL (process ${pid}), left behind by an earlier run, belongs to another account and cannot be stopped. ` +
        "Start the service under the account of the earlier run, or as root.",
      { cause: fault },
    );
  }
}

async function waitUntil(isDone: () => Promise<boolean>, timeoutMs: number): Promise<boolean> {
  const deadline = performance.now() + timeoutMs;
  while (!(await isDone())) {
    if (performance.now() > deadline) return false;
    await sleep(POLL_MS);
  }
  return true;
}
