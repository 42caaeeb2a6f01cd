import { appendFileSync, existsSync, readFileSync, renameSync, statSync } from "node:fs";
import { join } from "node:path";

/**
 * Called once by each group of test files that uses shared services of the run, when its tests have ended. Ends a service whose last
 * user has left: it would take a part of the machine until the end of the run. `users` has the number of groups that use each service.
 */
export function leaveServices(users: Readonly<Record<string, number>>): void {
  const runFolder = process.env["SWARMBASE_TEST_RUN"] ?? "";
  if (runFolder === "") return;
  for (const [name, count] of Object.entries(users)) {
    const left = join(runFolder, `${name}.left`);
    appendFileSync(left, ".");
    const pidFile = join(runFolder, `${name}.pid`);
    if (statSync(left).size < count || !existsSync(pidFile)) continue;
    const ended = `${pidFile}.ended`;
    try {
      // Two groups can end at the same time, and the end of the run ends what still has a file.
      renameSync(pidFile, ended);
      process.kill(Number.parseInt(readFileSync(ended, "utf8"), 10), "SIGTERM");
    } catch {
      // Another group was faster, or the service has ended.
    }
  }
}
