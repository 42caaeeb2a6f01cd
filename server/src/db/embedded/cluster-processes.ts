import { execFile } from "node:child_process";
import { readdir, readFile, readlink, stat } from "node:fs/promises";
import { promisify } from "node:util";
import { isProcessAlive } from "./process-state.ts";

/** "unclear": a PostgreSQL of an unknown cluster, because we lack the rights to see it. It is neither signalled nor ignored. */
export type Kinship = "ours" | "stranger" | "unclear";

/**
 * Process ids are reused, so a process is signalled only when it is a PostgreSQL of this cluster. The working directory of
 * every process of a cluster is its folder; where we may not read that (root in a container without ptrace rights), the
 * command line has to name the folder.
 */
export async function judgeProcess(pid: number, clusterDir: string): Promise<Kinship> {
  if (!isProcessAlive(pid)) return "stranger";
  if (process.platform === "linux") return judgeLinuxProcess(pid, clusterDir);
  // pg_ctl, which stops PostgreSQL there, has its own checks.
  if (process.platform === "win32") return "ours";
  return namesCluster(await readCommandLine(pid), clusterDir) ? "ours" : "unclear";
}

/** The postmaster and its children, which can outlive it. Empty where the system does not list processes. */
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
  // The data directory was removed under a running PostgreSQL.
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
    // The process has ended meanwhile.
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
