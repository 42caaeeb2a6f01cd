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

/** The message is for users; the log has the `cause`. */
export class ConsoleBuildError extends Error {
  override readonly name = "ConsoleBuildError";
}

/** The build gets no other variables: it needs its temporary folder and, on Windows, the system, but none of our secrets. */
const NEEDED_NAMES = ["PATH", "HOME", "TMPDIR", "TEMP", "TMP", "SystemRoot"];
const READY = "ready ";
const MAX_OUTPUT_CHARACTERS = 4_000;

/** Builds the console unless it is up to date, in another process, so that requests do not wait. Returns the folder of the files. */
export async function runBuild({ folder, environment, signal, onProgress }: BuildOptions): Promise<string> {
  const script = join(folder, "build.ts");
  if (!existsSync(script)) throw new ConsoleBuildError("The console is not installed here.");
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
