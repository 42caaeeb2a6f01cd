import { readFileSync } from "node:fs";
import { errorCode } from "./embedded-error.ts";

/** A zombie still answers to signal 0, but nothing of it runs any more. */
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
    // The name in parentheses may itself hold parentheses and blanks.
    const state = stat.charAt(stat.lastIndexOf(")") + 2);
    return state === "Z" || state === "X";
  } catch (fault) {
    return errorCode(fault) === "ENOENT" || errorCode(fault) === "ESRCH";
  }
}
