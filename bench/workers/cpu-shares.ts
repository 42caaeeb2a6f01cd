import { readdirSync, readFileSync } from "node:fs";

/** Processor seconds of a service, by what used them. */
export interface CpuShares {
  readonly primary: number;
  readonly workers: number;
  readonly database: number;
}

/** Ticks of /proc are hundredths of a second on every Linux that Node.js supports. */
const TICKS_PER_SECOND = 100;

interface Facts {
  readonly pid: number;
  readonly parentPid: number;
  readonly seconds: number;
  readonly command: string;
}

/** Reads what a service and its descendants have used so far. */
export function readCpuShares(primaryPid: number): CpuShares {
  const all = readdirSync("/proc").flatMap((name) => (/^\d+$/.test(name) ? (readFacts(Number(name)) ?? []) : []));
  const childrenOf = (pid: number): Facts[] => all.filter(({ parentPid }) => parentPid === pid);
  const sumOf = (facts: readonly Facts[]): number => facts.reduce((sum, { seconds }) => sum + seconds, 0);
  const children = childrenOf(primaryPid);
  const servers = children.filter(({ command }) => command.includes("/postgres"));
  return {
    primary: sumOf(all.filter(({ pid }) => pid === primaryPid)),
    workers: sumOf(children.filter(({ command }) => command.includes("--worker-process"))),
    database: sumOf([...servers, ...servers.flatMap(({ pid }) => childrenOf(pid))]),
  };
}

export function sumShares(all: readonly CpuShares[]): CpuShares {
  const sumOf = (part: keyof CpuShares): number => all.reduce((sum, shares) => sum + shares[part], 0);
  return { primary: sumOf("primary"), workers: sumOf("workers"), database: sumOf("database") };
}

/** The part of one core that each has used meanwhile. */
export function subtractShares(later: CpuShares, earlier: CpuShares, seconds: number): CpuShares {
  return {
    primary: (later.primary - earlier.primary) / seconds,
    workers: (later.workers - earlier.workers) / seconds,
    database: (later.database - earlier.database) / seconds,
  };
}

/** Null for a process that has ended. */
function readFacts(pid: number): Facts | null {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, "utf8");
    // The program name is in parentheses and can contain anything; the fields after it are numbers.
    const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
    const seconds = (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND;
    return { pid, parentPid: Number(fields[1]), seconds, command: readFileSync(`/proc/${pid}/cmdline`, "utf8") };
  } catch {
    return null;
  }
}
