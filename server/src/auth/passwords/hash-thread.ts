import { readlinkSync } from "node:fs";
import { constants, getPriority, setPriority } from "node:os";
import { parentPort } from "node:worker_threads";
import { hashSync as hashArgon2, verifySync as verifyArgon2 } from "@node-rs/argon2";
import { verifySync as verifyBcrypt } from "@node-rs/bcrypt";
import type { HashAnswer, HashTask } from "./run-hash-task.ts";
import { isBcrypt } from "./stored-hash.ts";

const BELOW_THE_SERVICE = 10;

lowerPriority();
parentPort?.on("message", (task: HashTask) => {
  parentPort?.postMessage(compute(task));
});

function compute(task: HashTask): HashAnswer {
  try {
    if (task.kind === "hash") return { value: hashArgon2(task.password, task.costs) };
    const { hash, password } = task;
    return { value: isBcrypt(hash) ? verifyBcrypt(password, hash) : verifyArgon2(hash, password) };
  } catch (error) {
    return { error: error instanceof Error ? error.message : String(error) };
  }
}

/** Linux schedules threads like processes, by their own ids. Elsewhere the bound on concurrent hashes has to do. */
function lowerPriority(): void {
  if (process.platform !== "linux") return;
  try {
    const threadId = Number(readlinkSync("/proc/thread-self").split("/").at(-1));
    setPriority(threadId, Math.min(getPriority() + BELOW_THE_SERVICE, constants.priority.PRIORITY_LOW));
  } catch {
    // Without /proc, or where a policy forbids it, hashes are computed at the priority of the service.
  }
}
