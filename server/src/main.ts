import packageJson from "../package.json" with { type: "json" };
import { CrashReason, runCommand } from "./commands/index.ts";
import { systemClock } from "./time/index.ts";

const EXIT_CRASH = 1;
const SIGNAL_EXIT_CODES = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 } as const;
/** A terminal's Ctrl-C reaches npm, the launcher and us, and the first two pass it on: that is one wish, not three. */
const SAME_WISH_MS = 1_000;
/** What a crashed service gets to stop its database. */
const CRASH_STOP_TIMEOUT_MS = 20_000;
/** A handle that somebody forgot must not keep an ended program alive. */
const LINGER_MS = 2_000;
const PARENT_CHECK_MS = 250;

const ending = new AbortController();

function stopOnSignals(): void {
  let firstAtMs: number | null = null;
  for (const [name, exitCode] of Object.entries(SIGNAL_EXIT_CODES)) {
    process.on(name, () => {
      const nowMs = performance.now();
      if (firstAtMs !== null && nowMs - firstAtMs > SAME_WISH_MS) process.exit(exitCode);
      firstAtMs ??= nowMs;
      ending.abort();
    });
  }
}

function stopOnCrash(): void {
  const crash = (error: unknown): void => {
    // A second fault, while the first one is being dealt with, changes nothing.
    if (ending.signal.reason instanceof CrashReason) return;
    setTimeout(() => process.exit(EXIT_CRASH), CRASH_STOP_TIMEOUT_MS).unref();
    process.exitCode = EXIT_CRASH;
    ending.abort(new CrashReason("unexpected fault", { cause: error }));
  };
  process.on("uncaughtException", crash);
  process.on("unhandledRejection", crash);
}

/**
 * npm runs a script through a shell that takes a signal for itself and does not pass it on. When that shell is gone,
 * whoever stopped npm meant us.
 */
function stopWithNpm(): void {
  if (process.env["npm_lifecycle_event"] === undefined || process.platform === "win32") return;
  const parent = process.ppid;
  const watch = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(watch);
    ending.abort();
  }, PARENT_CHECK_MS);
  watch.unref();
}

/** Whoever read our output is gone. That is no reason to stop serving. */
function outliveReaders(): void {
  for (const stream of [process.stdout, process.stderr]) {
    stream.on("error", (error: NodeJS.ErrnoException) => {
      if (error.code !== "EPIPE") throw error;
    });
  }
}

/** The driver reads these by itself; set for another server, they would bend connections to the embedded one. */
function forgetOtherServers(): void {
  if (process.env["DATABASE_URL"]) return;
  for (const name of Object.keys(process.env)) if (/^PG[A-Z]+$/.test(name)) delete process.env[name];
}

stopOnSignals();
stopOnCrash();
stopWithNpm();
forgetOtherServers();
outliveReaders();
process.exitCode = await runCommand(process.argv.slice(2), {
  env: process.env,
  stdout: process.stdout,
  stderr: process.stderr,
  version: packageJson.version,
  clock: systemClock,
  signal: ending.signal,
});
setTimeout(() => process.exit(), LINGER_MS).unref();
