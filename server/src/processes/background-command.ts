import { spawn } from "node:child_process";
import { constants, setPriority } from "node:os";
import { extname, join } from "node:path";

/** The argument before those of the command. */
const BACKGROUND_ARGUMENT = "--background-command";
const PROGRAM = join(import.meta.dirname, `../main${extname(import.meta.filename)}`);
const MAX_OUTPUT_CHARACTERS = 20_000;
/** For a command to remove what it has created. */
const END_LIMIT_MS = 10_000;

interface BackgroundCommand {
  readonly args: readonly string[];
  readonly env: NodeJS.ProcessEnv;
  readonly signal: AbortSignal;
}

export interface BackgroundResult {
  /** Null means that a signal ended it. */
  readonly code: number | null;
  /** The end of what it printed. */
  readonly output: string;
}

/** Whether another process of the service runs this one as a command in the background. */
export function isBackgroundCommand(args: readonly string[]): boolean {
  return args[0] === BACKGROUND_ARGUMENT;
}

/**
 * Runs a command of the program in a process of its own, at a low priority, which the programs that it starts inherit. The
 * end of its standard input ends it: this process closes it when the signal aborts, and the system when this process is killed.
 */
export async function runInBackground({ args, env, signal }: BackgroundCommand): Promise<BackgroundResult> {
  signal.throwIfAborted();
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [...process.execArgv, PROGRAM, BACKGROUND_ARGUMENT, ...args], {
      env,
      stdio: ["pipe", "pipe", "pipe"],
      windowsHide: true,
    });
    if (child.pid !== undefined) lowerPriority(child.pid);
    let output = "";
    const collect = (chunk: Buffer): void => {
      output = (output + chunk.toString()).slice(-MAX_OUTPUT_CHARACTERS);
    };
    let timer: NodeJS.Timeout | undefined;
    const stop = (): void => {
      child.stdin.end();
      timer = setTimeout(() => child.kill("SIGKILL"), END_LIMIT_MS);
    };
    signal.addEventListener("abort", stop, { once: true });
    child.stdout.on("data", collect);
    child.stderr.on("data", collect);
    // It may end first.
    child.stdin.on("error", () => {});
    child.once("error", reject);
    child.once("close", (code) => {
      clearTimeout(timer);
      signal.removeEventListener("abort", stop);
      resolve({ code, output });
    });
  });
}

function lowerPriority(pid: number): void {
  try {
    // With the lowest one, it would hold its files for days on a machine that is always busy.
    setPriority(pid, constants.priority.PRIORITY_BELOW_NORMAL);
  } catch {
    // It has ended already, or the system permits no other priority.
  }
}
