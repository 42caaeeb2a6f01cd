import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { Environment } from "../config/index.ts";

export interface BuildOptions {
  /** The workspace of the console. */
  readonly folder: string;
  readonly environment: Environment;
  readonly signal: AbortSignal;
  onProgress(line: string): void;
}

/** Says what a user may read; the rest of the story is in `cause` and for the log. */
export class ConsoleBuildError extends Error {
  override readonly name = "ConsoleBuildError";
}

/** A build needs to find its temporary folder and, on Windows, the system; it has no use for our secrets. */
const NEEDED_NAMES = ["PATH", "HOME", "TMPDIR", "TEMP", "TMP", "SystemRoot"];
const READY = "ready ";
const MOST_OUTPUT = 4_000;

/**
 * Has the console built unless it is up to date, in a process of its own so that requests do not wait for it, and answers with the
 * folder of the built files.
 */
export async function runBuild({ folder, environment, signal, onProgress }: BuildOptions): Promise<string> {
  const script = join(folder, "build.ts");
  if (!existsSync(script)) throw new ConsoleBuildError("The console is not installed here.");
  const kept = NEEDED_NAMES.flatMap((name) => {
    const value = environment[name];
    return value === undefined ? [] : [[name, value] as const];
  });
  const child = spawn(process.execPath, ["--conditions=swarmbase-source", script], {
    cwd: folder,
    env: { ...Object.fromEntries(kept), NODE_ENV: "production" },
    stdio: ["ignore", "pipe", "pipe"],
    signal,
  });
  let built: string | null = null;
  let complaints = "";
  createInterface({ input: child.stdout }).on("line", (line) => {
    if (line.startsWith(READY)) built = line.slice(READY.length);
    else onProgress(line);
  });
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    complaints = (complaints + text).slice(-MOST_OUTPUT);
  });
  const code = await new Promise<number | null>((resolve, reject) => {
    child.on("error", reject);
    child.on("close", resolve);
  });
  if (built !== null && code === 0) return built;
  const cause = new Error(complaints.trim() === "" ? `the build ended with code ${code}` : complaints.trim());
  throw new ConsoleBuildError("The console could not be built. The log of the service says why.", { cause });
}
