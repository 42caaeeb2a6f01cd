import packageJson from "../package.json" with { type: "json" };
import { CrashReason, runCommand, runWorkerProcess } from "./commands/index.ts";
import { isBackgroundCommand, isWorkerProcess } from "./processes/index.ts";
import { systemClock } from "./time/index.ts";

const EXIT_CRASH = 1;
const SIGNAL_EXIT_CODES = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 } as const;
/** Ctrl-C reaches npm, the launcher and this process, and the first two pass it on: these signals count as one. */
const SAME_SIGNAL_MS = 1_000;
/** Time for a crashed service to stop its database. */
const CRASH_STOP_TIMEOUT_MS = 20_000;
/** A handle that was left open must not keep an ended program alive. */
const LINGER_MS = 2_000;
const PARENT_CHECK_MS = 1_000;

const ending = new AbortController();
let hangUp: (() => void) | null = null;

function stopOnSignals(): void {
  let firstAtMs: number | null = null;
  for (const [name, exitCode] of Object.entries(SIGNAL_EXIT_CODES)) {
    process.on(name, () => {
      if (name === "SIGHUP" && hangUp !== null) return hangUp();
      const nowMs = performance.now();
      if (firstAtMs !== null && nowMs - firstAtMs > SAME_SIGNAL_MS) process.exit(exitCode);
      firstAtMs ??= nowMs;
      ending.abort();
    });
  }
}

/** A terminal and a service manager send these to all processes; the one that started this process decides for it. */
function ignoreSignals(): void {
  for (const name of Object.keys(SIGNAL_EXIT_CODES)) process.on(name, () => {});
}

function stopOnCrash(): void {
  const crash = (error: unknown): void => {
    // The first fault ends the process already.
    if (ending.signal.reason instanceof CrashReason) return;
    setTimeout(() => process.exit(EXIT_CRASH), CRASH_STOP_TIMEOUT_MS).unref();
    process.exitCode = EXIT_CRASH;
    ending.abort(new CrashReason("unexpected fault", { cause: error }));
  };
  process.on("uncaughtException", crash);
  process.on("unhandledRejection", crash);
}

/** npm runs a script through a shell that does not pass signals on, so this process ends when that shell has ended. */
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

/** A command in the background ends with the process that started it, also when that was killed. */
function stopWithStarter(): void {
  process.stdin.once("close", () => {
    setTimeout(() => process.exit(EXIT_CRASH), CRASH_STOP_TIMEOUT_MS).unref();
    ending.abort();
  });
  process.stdin.on("error", () => {}).resume();
  process.stdin.unref();
}

/** The service goes on when the reader of its output has ended. */
function ignoreClosedOutput(): void {
  for (const stream of [process.stdout, process.stderr]) {
    stream.on("error", (error: NodeJS.ErrnoException) => {
      if (error.code !== "EPIPE") throw error;
    });
  }
}

/** The driver reads these variables; set for another server, they would redirect connections to the embedded one. */
function removeDriverVariables(): void {
  if (process.env["DATABASE_URL"]) return;
  for (const name of Object.keys(process.env)) if (/^PG[A-Z]+$/.test(name)) delete process.env[name];
}

const given = process.argv.slice(2);
const isOfPrimary = isWorkerProcess(given);
const isBackground = isBackgroundCommand(given);
const args = isBackground ? given.slice(1) : given;
if (isOfPrimary || isBackground) ignoreSignals();
else {
  stopOnSignals();
  stopWithNpm();
}
if (isBackground) stopWithStarter();
stopOnCrash();
removeDriverVariables();
ignoreClosedOutput();
const context = {
  env: process.env,
  stdin: process.stdin,
  stdout: process.stdout,
  stderr: process.stderr,
  version: packageJson.version,
  clock: systemClock,
  signal: ending.signal,
  onHangUp: (listener: () => void) => {
    hangUp = listener;
  },
};
if (isOfPrimary) process.exit(await runWorkerProcess({ ...context, args }));
process.exitCode = await runCommand(args, context);
setTimeout(() => process.exit(), LINGER_MS).unref();
