import { readdir, readFile } from "node:fs/promises";

export interface ProcessEntry {
  readonly pid: number;
  readonly parentPid: number;
}

/** The process and everything below it, read from /proc. */
export async function listProcessTree(rootPid: number): Promise<ProcessEntry[]> {
  const all = await listProcesses();
  const tree = all.filter(({ pid }) => pid === rootPid);
  for (const { pid } of tree) tree.push(...all.filter(({ parentPid }) => parentPid === pid));
  return tree;
}

async function listProcesses(): Promise<ProcessEntry[]> {
  const names = (await readdir("/proc")).filter((name) => /^\d+$/.test(name));
  const entries = await Promise.all(names.map(readProcess));
  return entries.filter((entry) => entry !== null);
}

async function readProcess(name: string): Promise<ProcessEntry | null> {
  try {
    const stat = await readFile(`/proc/${name}/stat`, "utf8");
    // The command's name stands in parentheses and may hold anything, so the fields are counted from the last one.
    const [, parentPid] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    return { pid: Number(name), parentPid: Number(parentPid) };
  } catch {
    // It ended while we were reading.
    return null;
  }
}

export function endProcesses(entries: readonly ProcessEntry[], signal: NodeJS.Signals): void {
  for (const { pid } of entries) {
    try {
      process.kill(pid, signal);
    } catch (error) {
      if (!(error instanceof Error && "code" in error && error.code === "ESRCH")) throw error;
    }
  }
}
