import { readFileSync } from "node:fs";
import { errorCode } from "./embedded-error.ts";

/** A zombie accepts signal 0, but no longer runs. */
export function isProcessAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch (fault) {
    if (errorCode(fault) !== "EPERM") return false;
  }
  return !isZombie(pid);
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
