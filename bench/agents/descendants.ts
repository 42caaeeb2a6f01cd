import { readdirSync, readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";

const GIVE_UP_MS = 5_000;
const POLL_MS = 20;
/** Ticks of /proc are hundredths of a second on every Linux that Node.js runs on. */
const TICK_MS = 10;

/** All that a process has started, and what that has. Linux only. */
export function listDescendants(pid: number): number[] {
  const children = readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((other) => readParent(other) === pid);
  return children.flatMap((child) => [child, ...listDescendants(child)]);
}

/** CPU that processes have used so far, in milliseconds. */
export function readCpuMs(pids: readonly number[]): number {
  return pids.reduce((sum, pid) => {
    const fields = readStat(pid);
    return fields === null ? sum : sum + (Number(fields[11]) + Number(fields[12])) * TICK_MS;
  }, 0);
}

/** Ends what outlives its parent, by its ids alone. */
export async function endProcesses(pids: readonly number[]): Promise<void> {
  const deadline = performance.now() + GIVE_UP_MS;
  for (const pid of pids) signal(pid, "SIGTERM");
  while (pids.some((pid) => signal(pid, 0)) && performance.now() < deadline) await sleep(POLL_MS);
  for (const pid of pids) signal(pid, "SIGKILL");
}

function readParent(pid: number): number | null {
  const fields = readStat(pid);
  return fields === null ? null : Number(fields[1]);
}

/** What follows the name of the program, which stands in brackets and may hold anything. */
function readStat(pid: number): string[] | null {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, "utf8");
    return text.slice(text.lastIndexOf(")") + 2).split(" ");
  } catch {
    return null;
  }
}

function signal(pid: number, name: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(pid, name);
  } catch {
    return false;
  }
}
