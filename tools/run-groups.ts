import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

export interface GroupRun {
  readonly root: string;
  /** For Node. */
  readonly options: readonly string[];
  /** Of the groups of test files. */
  readonly paths: readonly string[];
  readonly env: NodeJS.ProcessEnv;
  readonly repeatsFailures: boolean;
  /** For the list of groups that fail. */
  readonly folder: string;
}

/** More failed groups are no accident of timing. */
const MAX_REPEATED = 3;
const SIGNALS = ["SIGINT", "SIGTERM"] as const;

/**
 * Runs groups of test files. With `repeatsFailures`, those that failed run once more, alone: a test that waits for something within a time can fail because its
 * neighbours have kept the machine busy. What passes only then is listed at the end. Returns the exit code.
 */
export async function runGroups(run: GroupRun): Promise<number> {
  const first = await runOnce(run);
  const { failed } = first;
  const isRepeated = run.repeatsFailures && first.code !== 0 && !first.wasStopped;
  if (!isRepeated || failed.length === 0 || failed.length > MAX_REPEATED) return first.code ?? 1;
  console.log(`\n↻ ${failed.length} of ${run.paths.length} groups failed and are run again, alone:\n${list(failed)}\n`);
  const second = await runOnce({ ...run, paths: failed, options: [...run.options, "--test-concurrency=1"] });
  if (second.code !== 0) return second.code ?? 1;
  console.log(
    `\n⚠ unstable, passed only when run again, alone (the first failure is printed above):\n${list(failed)}\n`,
  );
  return 0;
}

function list(paths: readonly string[]): string {
  return paths.map((path) => `    ${path}`).join("\n");
}

interface Outcome {
  readonly code: number | null;
  readonly wasStopped: boolean;
  readonly failed: readonly string[];
}

async function runOnce({ root, options, paths, env, folder }: GroupRun): Promise<Outcome> {
  const failedFile = join(folder, "failed-groups.txt");
  const reporters = [
    ["test-reporter.ts", "stdout"],
    ["failed-groups-reporter.ts", failedFile],
  ].flatMap(([module = "", destination]) => [
    `--test-reporter=${pathToFileURL(join(import.meta.dirname, module)).href}`,
    `--test-reporter-destination=${destination}`,
  ]);
  rmSync(failedFile, { force: true });
  const child = spawn(process.execPath, [...options, ...reporters, ...paths], { cwd: root, stdio: "inherit", env });
  let wasStopped = false;
  // Kept until the tests have stopped what the global set-up started.
  const forward = (signal: NodeJS.Signals): void => {
    wasStopped = true;
    child.kill(signal);
  };
  for (const signal of SIGNALS) process.on(signal, forward);
  const [code] = (await once(child, "exit")) as [number | null];
  for (const signal of SIGNALS) process.off(signal, forward);
  const failed = existsSync(failedFile) ? readFileSync(failedFile, "utf8").split("\n").filter(Boolean) : [];
  return { code, wasStopped, failed };
}
