// A separate process with one end of a pipe to the service. When the other end closes without a release message, the
// service has died, and this process stops PostgreSQL. The lock decides between this process and a service that starts
// meanwhile: its holder cleans up.
import { existsSync } from "node:fs";
import { acquireDirectoryLock, type DirectoryLock, LockHeldError } from "./data-directory-lock.ts";
import { messageOf } from "./embedded-error.ts";
import { stopCluster } from "./stop-cluster.ts";
import { parseWatchdogArguments, RELEASE_MESSAGE, type WatchdogArguments } from "./watchdog-arguments.ts";

const LOCK_WAIT_MS = 10_000;

async function cleanUp(watched: WatchdogArguments): Promise<void> {
  const locks: DirectoryLock[] = [];
  try {
    // Without the data directory there is neither a lock nor another service.
    for (const folder of watched.lockFolders.filter((path) => existsSync(path))) {
      locks.push(await acquireDirectoryLock({ folder, role: "watchdog", waitMs: LOCK_WAIT_MS }));
    }
    const outcome = await stopCluster(watched);
    report(`the service has ended; PostgreSQL: ${outcome === "nothing" ? "was not running" : outcome}`);
  } catch (fault) {
    if (!(fault instanceof LockHeldError)) report(messageOf(fault));
  } finally {
    for (const lock of locks.reverse()) lock.release();
  }
}

function report(line: string): void {
  process.stderr.write(`${new Date().toISOString()} watchdog [${process.pid}] ${line}\n`);
}

async function watch(): Promise<void> {
  const watched = parseWatchdogArguments(process.argv[2] ?? "");
  // A signal to the whole process group or control group reaches this process too; its work begins after the service has ended.
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => {});
  let input = "";
  try {
    for await (const chunk of process.stdin) input += String(chunk);
  } catch {
    // A broken pipe means the same as a closed one.
  }
  if (!input.includes(RELEASE_MESSAGE)) await cleanUp(watched);
  process.exit(0);
}

await watch();
