import { spawnSync } from "node:child_process";
import { resolve } from "node:path";
import { ACCEPTED_ADVISORIES } from "./audit/accepted-advisories.ts";
import { judgeAudit } from "./audit/judge-audit.ts";

const TIMEOUT_MS = 60_000;

/**
 * Checks the installed production dependencies for known vulnerabilities. Prints a note if the registry cannot be
 * reached.
 */
const { stdout } = spawnSync("npm", ["audit", "--omit=dev", "--json", "--fetch-retries=0"], {
  cwd: resolve(`${import.meta.dirname}/..`),
  encoding: "utf8",
  timeout: TIMEOUT_MS,
  shell: process.platform === "win32",
});
const verdict = judgeAudit(stdout ?? "", ACCEPTED_ADVISORIES, new Date().toISOString().slice(0, 10));
switch (verdict.kind) {
  case "not-run":
    console.log(`dependency audit not run: ${verdict.reason}`);
    break;
  case "judged":
    for (const line of verdict.accepted) console.log(line);
    for (const line of verdict.faults) console.error(line);
    console.log(`dependency audit: ${verdict.faults.length} to resolve, ${verdict.accepted.length} accepted`);
    if (verdict.faults.length > 0) process.exitCode = 1;
    break;
  default:
    verdict satisfies never;
}
