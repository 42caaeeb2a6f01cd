import { execFile } from "node:child_process";
import { readdir, readFile, readlink, stat } from "node:fs/promises";
import { promisify } from "node:util";
import { isProcessAlive } from "./process-state.ts";

/** "unclear": a PostgreSQL, but we may not see whose. It is neither signalled nor taken for gone. */
export type Kinship = "ours" | "stranger" | "unclear";

/**
 * Process ids are used again, so nothing is signalled before it proved to be a PostgreSQL of this very cluster. Every
 * process of a cluster works inside its folder, whatever path leads there; where we may not see that (root in a
 * container without ptrace rights), the command line has to name the folder.
 */
export async function judgeProcess(pid: number, clusterDir: string): Promise<Kinship> {
  if (!isProcessAlive(pid)) return "stranger";
  if (process.platform === "linux") return judgeLinuxProcess(pid, clusterDir);
  // pg_ctl, which stops PostgreSQL there, makes its own checks.
  if (process.platform === "win32") return "ours";
  return namesCluster(await readCommandLine(pid), clusterDir) ? "ours" : "unclear";
}

/** Postmaster and children alike; children of a killed postmaster can linger. Empty where the system cannot tell. */
export async function listClusterProcesses(clusterDir: string): Promise<number[]> {
  if (process.platform !== "linux") return [];
  const pids = (await readdir("/proc")).filter((name) => /^\d+$/.test(name)).map(Number);
  const kinships = await Promise.all(pids.map((pid) => judgeLinuxProcess(pid, clusterDir)));
  return pids.filter((_, index) => kinships[index] === "ours");
}

async function judgeLinuxProcess(pid: number, clusterDir: string): Promise<Kinship> {
  const name = await readQuietly(`/proc/${pid}/comm`);
  if (name !== "postgres\n" && name !== "initdb\n") return "stranger";
  const folder = `/proc/${pid}/cwd`;
  const worksIn = await identityOf(folder);
  if (worksIn !== null && worksIn === (await identityOf(clusterDir))) return "ours";
  // Somebody removed the data directory under a running PostgreSQL.
  const path = await readlink(folder).catch(() => null);
  if (path === `${clusterDir} (deleted)`) return "ours";
  if (worksIn !== null || path !== null) return "stranger";
  if (!isProcessAlive(pid)) return "stranger";
  const command = (await readQuietly(`/proc/${pid}/cmdline`)).split("\0").join("\n");
  return namesCluster(command, clusterDir) ? "ours" : "unclear";
}

export function namesCluster(command: string, clusterDir: string): boolean {
  const at = command.indexOf(clusterDir);
  if (at === -1 || !/(^|\/)(postgres|initdb)\b/.test(command)) return false;
  const next = command.charAt(at + clusterDir.length);
  return next === "" || next === "\n" || next === " ";
}

async function identityOf(path: string): Promise<string | null> {
  try {
    const { dev, ino } = await stat(path, { bigint: true });
    return `${dev}:${ino}`;
  } catch {
    return null;
  }
}

async function readQuietly(path: string): Promise<string> {
  try {
    return await readFile(path, "utf8");
  } catch {
    // Gone while we looked.
    return "";
  }
}

async function readCommandLine(pid: number): Promise<string> {
  try {
    const { stdout } = await promisify(execFile)("/bin/ps", ["-ww", "-o", "command=", "-p", String(pid)]);
    return stdout.trim();
  } catch {
    return "";
  }
}
