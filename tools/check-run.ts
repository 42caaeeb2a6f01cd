import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { text } from "node:stream/consumers";

export interface Check {
  readonly name: string;
  /** Arguments for Node.js: a script and its arguments. */
  readonly args: readonly string[];
}

export interface CheckRun {
  readonly root: string;
  readonly parallel: number;
  readonly write: (line: string) => void;
}

/** Runs all checks, prints one line for each as it ends, with its output if it failed. Returns true when all passed. */
export async function runChecks(checks: readonly Check[], run: CheckRun): Promise<boolean> {
  const waiting = [...checks];
  let areAllGood = true;
  const work = async (): Promise<void> => {
    for (let check = waiting.shift(); check !== undefined; check = waiting.shift()) {
      const startedAt = performance.now();
      const { isGood, output } = await runCheck(check, run.root);
      const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
      run.write(`${isGood ? "✓" : "✗"} ${check.name} (${seconds} s)`);
      if (isGood) continue;
      areAllGood = false;
      run.write(output.trimEnd());
    }
  };
  await Promise.all(Array.from({ length: run.parallel }, work));
  return areAllGood;
}

/** Programs in Go collect garbage when the heap has grown to five times what they use: at twice, they spend a sixth of their time on it. */
const QUICK_GO = { GOGC: "400" };

async function runCheck({ args }: Check, root: string): Promise<{ isGood: boolean; output: string }> {
  const child = spawn(process.execPath, args, {
    cwd: root,
    stdio: ["ignore", "pipe", "pipe"],
    env: { ...QUICK_GO, ...process.env },
  });
  const ended = new Promise<string | null>((done) => {
    child.on("error", (error) => done(error.message));
    child.on("close", (code, signal) => done(code === 0 ? null : `ended with ${signal ?? `code ${code}`}`));
  });
  const [stdout, stderr, failure] = await Promise.all([text(child.stdout), text(child.stderr), ended]);
  return { isGood: failure === null, output: `${stdout}${stderr}${failure ?? ""}` };
}

/** Finds the script of an installed program without PATH, so that no program of the machine is used instead. */
export function findProgram(root: string, packageName: string, program: string): string {
  const folder = join(root, "node_modules", packageName);
  const { bin } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as {
    bin?: string | Record<string, string>;
  };
  const script = typeof bin === "string" ? bin : bin?.[program];
  if (script === undefined) throw new Error(`${packageName} has no program ${program}`);
  return join(folder, script);
}
