import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { getCompileCacheDir } from "node:module";
import { Socket } from "node:net";
import { dirname, extname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Observer } from "../../observe/index.ts";
import { RELEASE_MESSAGE, type WatchdogArguments } from "./watchdog-arguments.ts";

/** TypeScript in the repository, JavaScript in the published package. */
const WATCHDOG = join(import.meta.dirname, `watchdog${extname(import.meta.filename)}`);
const RESTART_DELAYS_MS = [50, 500, 2_000, 10_000, 30_000];
const LONG_LIFE_MS = 60_000;
const RELEASE_TIMEOUT_MS = 2_000;

/**
 * Replaces a watchdog that ends, so that PostgreSQL always has one. Returns a function that releases it once PostgreSQL has
 * stopped: then the watchdog ends without doing anything.
 */
export function keepWatchdog(watched: WatchdogArguments, logFd: number, observer: Observer): () => Promise<void> {
  let isReleased = false;
  let quickDeaths = 0;
  let timer: NodeJS.Timeout | undefined;
  let current = start();

  function start(): ChildProcess {
    const startedAt = performance.now();
    const child = spawnWatchdog(watched, logFd);
    child.once("error", () => scheduleNext(startedAt));
    child.once("exit", () => scheduleNext(startedAt));
    return child;
  }

  function scheduleNext(startedAt: number): void {
    if (isReleased) return;
    quickDeaths = performance.now() - startedAt > LONG_LIFE_MS ? 0 : quickDeaths + 1;
    const delayMs = RESTART_DELAYS_MS[Math.min(quickDeaths, RESTART_DELAYS_MS.length) - 1] ?? 0;
    observer.note("embedded.watchdog_lost", { pid: current.pid, delayMs });
    timer = setTimeout(() => {
      current = start();
    }, delayMs);
    timer.unref();
  }

  return async () => {
    isReleased = true;
    clearTimeout(timer);
    if (current.exitCode !== null || current.signalCode !== null || current.pid === undefined) return;
    const exited = once(current, "exit").catch(() => {});
    current.stdin?.end(RELEASE_MESSAGE);
    const timeout = new AbortController();
    await Promise.race([exited, sleep(RELEASE_TIMEOUT_MS, undefined, { signal: timeout.signal }).catch(() => {})]);
    timeout.abort();
    current.kill("SIGKILL");
  };
}

function spawnWatchdog(watched: WatchdogArguments, logFd: number): ChildProcess {
  const child = spawn(
    process.execPath,
    [
      "--max-old-space-size=32",
      "--max-semi-space-size=1",
      "--disable-warning=ExperimentalWarning",
      WATCHDOG,
      JSON.stringify(watched),
    ],
    // A process group of its own: Ctrl-C in the terminal is for the service, which then stops PostgreSQL in order.
    { detached: true, stdio: ["pipe", "ignore", logFd], cwd: "/", env: findCompileCache(), windowsHide: true },
  );
  // The watchdog must not keep the event loop of the service alive.
  child.unref();
  child.stdin?.on("error", () => {});
  if (child.stdin instanceof Socket) child.stdin.unref();
  return child;
}

/** Without compiled code, the watchdog loads the type stripper of Node.js, which takes most of its CPU time and memory. */
function findCompileCache(): NodeJS.ProcessEnv {
  // Node.js adds a folder for its version to the path that was given.
  const folder = getCompileCacheDir();
  return folder === undefined ? {} : { NODE_COMPILE_CACHE: dirname(folder) };
}
