import { readdirSync, readFileSync } from "node:fs";

/** Ticks of /proc are hundredths of a second on every Linux that Node.js supports. */
const TICK_MICROSECONDS = 10_000;
const KIB = 1024;

interface ProcessFacts {
  readonly parentPid: number;
  readonly cpuMicroseconds: number;
}

/** Resource usage of processes and their descendants so far. Processes that ended meanwhile are missing. */
export function readCpuMicroseconds(pids: readonly number[], parentPid: number | null): ReadonlyMap<number, number> {
  const used = new Map<number, number>();
  const children = parentPid === null ? [] : listChildren(parentPid);
  for (const pid of [...pids, ...children]) {
    const facts = readFacts(pid);
    if (facts !== null) used.set(pid, facts.cpuMicroseconds);
  }
  return used;
}

/** The difference to an earlier reading. A new process starts at zero. */
export function subtractCpu(later: ReadonlyMap<number, number>, earlier: ReadonlyMap<number, number>): number {
  let sum = 0;
  for (const [pid, microseconds] of later) sum += microseconds - (earlier.get(pid) ?? 0);
  return sum;
}

/** Resident memory of processes that share little. */
export function readResidentBytes(pids: readonly number[]): number {
  return sumOf(pids, (pid) => readKilobytes(`/proc/${pid}/status`, "VmRSS"));
}

/** The most that was resident at a time. */
export function readPeakBytes(pids: readonly number[]): number {
  return sumOf(pids, (pid) => readKilobytes(`/proc/${pid}/status`, "VmHWM"));
}

/** Private memory, without what backends share with each other. */
export function readOwnBytes(pids: readonly number[]): number {
  return sumOf(pids, (pid) => readKilobytes(`/proc/${pid}/smaps_rollup`, "Pss_Anon"));
}

function sumOf(pids: readonly number[], measure: (pid: number) => number): number {
  return pids.reduce((sum, pid) => sum + measure(pid), 0);
}

function readKilobytes(path: string, name: string): number {
  try {
    return Number(new RegExp(`^${name}:\\s+(\\d+) kB`, "m").exec(readFileSync(path, "utf8"))?.[1] ?? 0) * KIB;
  } catch {
    return 0;
  }
}

function listChildren(parentPid: number): number[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => readFacts(pid)?.parentPid === parentPid);
}

function readFacts(pid: number): ProcessFacts | null {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, "utf8");
    // The program name is in parentheses and can contain anything; the fields after it are numbers.
    const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
    return {
      parentPid: Number(fields[1]),
      cpuMicroseconds: (Number(fields[11]) + Number(fields[12])) * TICK_MICROSECONDS,
    };
  } catch {
    return null;
  }
}
