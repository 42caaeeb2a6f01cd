import { spawn } from "node:child_process";
import { setTimeout as sleep } from "node:timers/promises";
import type { Account } from "./choose-account.ts";
import { EmbeddedError } from "./embedded-error.ts";
import type { LogFile } from "./log-file.ts";
import { readPostmasterFile } from "./postmaster-file.ts";
import { accountOptions, explainSpawnFault, PROGRAM_ENVIRONMENT } from "./run-program.ts";

interface PostmasterExit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

export interface Postmaster {
  readonly pid: number;
  readonly startedAtMs: number;
  readonly exited: Promise<PostmasterExit>;
}

interface LaunchOptions {
  readonly postgres: string;
  readonly postmasterArguments: readonly string[];
  readonly clusterDir: string;
  readonly account: Account | null;
  readonly log: LogFile;
  readonly signal: AbortSignal;
  onWaiting?(): void;
  onSlow?(): void;
}

const POLL_MS = 10;
const SLOW_AFTER_MS = 5_000;

/** Resolves when PostgreSQL accepts connections. Crash recovery may take long, so only the end of the process is a failure. */
export async function launchPostmaster(o: LaunchOptions): Promise<Postmaster> {
  const logSize = o.log.size();
  const startedAtMs = performance.now();
  const child = spawn(o.postgres, o.postmasterArguments, {
    // A session of its own: Ctrl-C in the terminal is for the service.
    detached: true,
    stdio: ["ignore", o.log.fd, o.log.fd],
    cwd: o.clusterDir,
    env: PROGRAM_ENVIRONMENT,
    windowsHide: true,
    ...accountOptions(o.account),
  });
  child.unref();
  o.onWaiting?.();
  let exit: PostmasterExit | null = null;
  let spawnFault: Error | null = null;
  const exited = new Promise<PostmasterExit>((resolve) => {
    child.once("exit", (code, signal) => {
      exit = { code, signal };
      resolve(exit);
    });
    child.once("error", (fault) => {
      spawnFault = fault;
      exit = { code: null, signal: null };
      resolve(exit);
    });
  });
  let isSlow = false;
  for (;;) {
    if (spawnFault !== null) throw explainSpawnFault(o.postgres, spawnFault);
    if (exit !== null) throw startFault(o, exit, logSize);
    const file = await readPostmasterFile(o.clusterDir);
    if (file !== null && file.pid === child.pid && file.isReady) return { pid: file.pid, startedAtMs, exited };
    if (o.signal.aborted) {
      child.kill("SIGINT");
      await exited;
      throw new EmbeddedError("The start of PostgreSQL was interrupted.");
    }
    if (!isSlow && performance.now() - startedAtMs > SLOW_AFTER_MS) {
      isSlow = true;
      o.onSlow?.();
    }
    await sleep(POLL_MS);
  }
}

function startFault(o: LaunchOptions, exit: PostmasterExit, logSize: number): EmbeddedError {
  const said = o.log.tailSince(logSize);
  return new EmbeddedError(
    `PostgreSQL did not start on ${o.clusterDir} (it ended with ${exit.signal ?? exit.code ?? "an error"}). ` +
      (said === "" ? `It said nothing; see ${o.log.path}.` : `The end of ${o.log.path}:\n${said}`),
  );
}
