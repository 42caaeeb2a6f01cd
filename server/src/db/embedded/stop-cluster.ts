import { rm } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";
import { judgeProcess, listClusterProcesses } from "./cluster-processes.ts";
import { EmbeddedError, errorCode } from "./embedded-error.ts";
import { postmasterFilePath, readPostmasterFile } from "./postmaster-file.ts";
import { isProcessAlive } from "./process-state.ts";
import { runProgram } from "./run-program.ts";

export type StopOutcome = "nothing" | "stopped" | "forced";

export interface StopPatience {
  /** Time for a fast shutdown: clients are disconnected, everything is written to disk. */
  readonly fastMs: number;
  /** Time for an immediate shutdown, after which the next start recovers. */
  readonly immediateMs: number;
}

const POLL_MS = 10;
const LINGER_MS = 1_500;
const KILL_WAIT_MS = 5_000;

/** Ends all processes of a cluster. Requires the lock of its data directory. */
export async function stopCluster(o: {
  readonly clusterDir: string;
  readonly pgCtl: string;
  readonly patience: StopPatience;
}): Promise<StopOutcome> {
  const { clusterDir, patience } = o;
  const pid = (await readPostmasterFile(clusterDir))?.pid ?? null;
  const isRunning = pid !== null && (await judgeProcess(pid, clusterDir)) === "ours";
  const outcome = isRunning ? await stopPostmaster(pid, o, patience) : "nothing";
  const hadChildren = await endLingeringProcesses(clusterDir);
  if (pid !== null && process.platform === "linux") await removeMisleadingFile(pid, clusterDir);
  return outcome === "nothing" && hadChildren ? "forced" : outcome;
}

async function stopPostmaster(
  pid: number,
  o: { readonly clusterDir: string; readonly pgCtl: string },
  patience: StopPatience,
): Promise<StopOutcome> {
  const steps = [
    ["SIGINT", patience.fastMs],
    ["SIGQUIT", patience.immediateMs],
    ["SIGKILL", KILL_WAIT_MS],
  ] as const;
  for (const [signal, waitMs] of steps) {
    if ((await judgeProcess(pid, o.clusterDir)) !== "ours") return "stopped";
    await sendSignal(pid, signal, o.pgCtl);
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
  if (!answersSignals(pid) || (await judgeProcess(pid, clusterDir)) !== "stranger") return;
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

function answersSignals(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (fault) {
    return errorCode(fault) === "EPERM";
  }
}

function killQuietly(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // It has ended meanwhile.
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
