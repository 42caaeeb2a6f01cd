import { readFileSync } from "node:fs";
import { errorCode } from "../../crypto/index.ts";

/** A zombie accepts signal 0, but no longer runs. */
export function isProcessAlive(pid: number): boolean {
  return hasProcess(pid) && !isZombie(pid);
}

/** Whether a process has this id, even a zombie or one of another account. */
export function hasProcess(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (fault) {
    return errorCode(fault) === "EPERM";
  }
}

export function killQuietly(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // It has ended meanwhile.
  }
}

function isZombie(pid: number): boolean {
  if (process.platform !== "linux") return false;
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    // The name in parentheses may contain parentheses and spaces.
    const state = stat.charAt(stat.lastIndexOf(")") + 2);
    return state === "Z" || state === "X";
  } catch (fault) {
    return errorCode(fault) === "ENOENT" || errorCode(fault) === "ESRCH";
  }
}
