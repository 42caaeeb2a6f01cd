import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { Environment } from "../config/index.ts";

export interface BuildOptions {
  /** The workspace of the console, or the files of a finished build. */
  readonly folder: string;
  readonly environment: Environment;
  readonly signal: AbortSignal;
  onProgress(line: string): void;
}

/** The message is for users; the log has the `cause`. */
export class ConsoleBuildError extends Error {
  override readonly name = "ConsoleBuildError";
}

/** The build gets no other variables: it needs its temporary folder and, on Windows, the system, but none of our secrets. */
const NEEDED_NAMES = ["PATH", "HOME", "TMPDIR", "TEMP", "TMP", "SystemRoot"];
const READY = "ready ";
const MAX_OUTPUT_CHARACTERS = 4_000;

/** Returns the folder with the files of the console. A workspace is built first, unless its build is up to date. */
export async function provideFolder(options: BuildOptions): Promise<string> {
  const script = join(options.folder, "build.ts");
  if (existsSync(script)) return runBuild(script, options);
  if (existsSync(join(options.folder, "index.html"))) return options.folder;
  throw new ConsoleBuildError("The console is not installed here.");
}

/** In another process, so that requests do not wait. */
async function runBuild(script: string, { folder, environment, signal, onProgress }: BuildOptions): Promise<string> {
  const kept = Object.fromEntries(NEEDED_NAMES.map((name) => [name, environment[name]]));
  const child = spawn(process.execPath, ["--conditions=swarmbase-source", script], {
    cwd: folder,
    env: { ...kept, NODE_ENV: "production" },
    stdio: ["ignore", "pipe", "pipe"],
    signal,
  });
  let built: string | null = null;
  let errorOutput = "";
  createInterface({ input: child.stdout }).on("line", (line) => {
    if (line.startsWith(READY)) built = line.slice(READY.length);
    else onProgress(line);
  });
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    errorOutput = (errorOutput + text).slice(-MAX_OUTPUT_CHARACTERS);
  });
  const code = await new Promise<number | null>((resolve, reject) => {
    child.on("error", reject);
    child.on("close", resolve);
  });
  if (built !== null && code === 0) return built;
  const cause = new Error(errorOutput.trim() === "" ? `the build ended with code ${code}` : errorOutput.trim());
  throw new ConsoleBuildError("The console could not be built. The log of the service says why.", { cause });
}
