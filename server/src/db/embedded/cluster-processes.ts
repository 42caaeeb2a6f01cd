import { execFile } from "node:child_process";
import { readdir, readFile, readlink, stat } from "node:fs/promises";
import { promisify } from "node:util";
import { isProcessAlive } from "./process-state.ts";

/** "unknown": a PostgreSQL whose cluster we lack the rights to see. It is neither signalled nor ignored. */
type ProcessOwner = "cluster" | "other" | "unknown";

/**
 * Process ids are reused, so a process is signalled only when it is a PostgreSQL of this cluster. The working directory of
 * every process of a cluster is its folder; where we may not read that (root in a container without ptrace rights), the
 * command line has to name the folder.
 */
export async function findProcessOwner(pid: number, clusterDir: string): Promise<ProcessOwner> {
  if (!isProcessAlive(pid)) return "other";
  if (process.platform === "linux") return findLinuxOwner(pid, clusterDir);
  // pg_ctl, which stops PostgreSQL there, has its own checks.
  if (process.platform === "win32") return "cluster";
  return namesCluster(await readCommandLine(pid), clusterDir) ? "cluster" : "unknown";
}

/** The postmaster and its children, which can outlive it. Empty where the system does not list processes. */
export async function listClusterProcesses(clusterDir: string): Promise<number[]> {
  if (process.platform !== "linux") return [];
  const pids = (await readdir("/proc")).filter((name) => /^\d+$/.test(name)).map(Number);
  const owners = await Promise.all(pids.map((pid) => findLinuxOwner(pid, clusterDir)));
  return pids.filter((_, index) => owners[index] === "cluster");
}

async function findLinuxOwner(pid: number, clusterDir: string): Promise<ProcessOwner> {
  const name = await readProcFile(pid, "comm");
  if (name !== "postgres\n" && name !== "initdb\n") return "other";
  const folder = `/proc/${pid}/cwd`;
  const worksIn = await identityOf(folder);
  if (worksIn !== null && worksIn === (await identityOf(clusterDir))) return "cluster";
  // The data directory was removed under a running PostgreSQL.
  const path = await readlink(folder).catch(() => null);
  if (path === `${clusterDir} (deleted)`) return "cluster";
  if (worksIn !== null || path !== null) return "other";
  if (!isProcessAlive(pid)) return "other";
  const command = (await readProcFile(pid, "cmdline")).replaceAll("\0", "\n");
  return namesCluster(command, clusterDir) ? "cluster" : "unknown";
}

export function namesCluster(command: string, clusterDir: string): boolean {
  const at = command.indexOf(clusterDir);
  if (at === -1 || !/(^|\/)(postgres|initdb)\b/.test(command)) return false;
  const next = command.charAt(at + clusterDir.length);
  return next === "" || next === "\n" || next === " ";
}

async function identityOf(path: string): Promise<string | null> {
  const found = await stat(path, { bigint: true }).catch(() => null);
  return found === null ? null : `${found.dev}:${found.ino}`;
}

/** Empty when the process has ended meanwhile. */
function readProcFile(pid: number, name: string): Promise<string> {
  return readFile(`/proc/${pid}/${name}`, "utf8").catch(() => "");
}

async function readCommandLine(pid: number): Promise<string> {
  const ps = promisify(execFile)("/bin/ps", ["-ww", "-o", "command=", "-p", String(pid)]);
  return (await ps.catch(() => ({ stdout: "" }))).stdout.trim();
}
