import { readdirSync, readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";

const GIVE_UP_MS = 5_000;
const POLL_MS = 20;
/** Ticks of /proc are hundredths of a second on every Linux that Node.js supports. */
const TICK_MS = 10;

/** All descendants of a process. Linux only. */
export function listDescendants(pid: number): number[] {
  const children = new Map<number, number[]>();
  for (const name of readdirSync("/proc")) {
    if (!/^\d+$/.test(name)) continue;
    const parent = readParent(Number(name));
    if (parent !== null) children.set(parent, [...(children.get(parent) ?? []), Number(name)]);
  }
  const listBelow = (parent: number): number[] =>
    (children.get(parent) ?? []).flatMap((child) => [child, ...listBelow(child)]);
  return listBelow(pid);
}

/** CPU time that processes have used so far, in milliseconds. */
export function readCpuMs(pids: readonly number[]): number {
  return pids.reduce((sum, pid) => {
    const fields = readStat(pid);
    return fields === null ? sum : sum + (Number(fields[11]) + Number(fields[12])) * TICK_MS;
  }, 0);
}

/** Kills processes that outlive their parent, by their ids only. */
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

/** The part after the program name, which is in parentheses and can contain anything. */
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
