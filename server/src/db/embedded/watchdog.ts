// A separate process with one end of a pipe to the service. When the other end closes without a release message, the
// service has died, and this process stops PostgreSQL. The lock decides between this process and a service that starts
// meanwhile: its holder cleans up.
import { existsSync } from "node:fs";
import { acquireDirectoryLock, type DirectoryLock, LockHeldError } from "./data-directory-lock.ts";
import { stopCluster } from "./stop-cluster.ts";
import { parseWatchdogOrder, RELEASE_WORD, type WatchdogOrder } from "./watchdog-order.ts";

const LOCK_WAIT_MS = 10_000;
const PATIENCE = { fastMs: 10_000, immediateMs: 6_000 };

async function clearUp(order: WatchdogOrder): Promise<void> {
  const locks: DirectoryLock[] = [];
  try {
    // Without the data directory there is neither a lock nor another service.
    for (const folder of order.lockFolders.filter((path) => existsSync(path))) {
      locks.push(await acquireDirectoryLock({ folder, role: "watchdog", waitMs: LOCK_WAIT_MS }));
    }
    const outcome = await stopCluster({ clusterDir: order.clusterDir, pgCtl: order.pgCtl, patience: PATIENCE });
    say(`the service is gone; PostgreSQL: ${outcome === "nothing" ? "was not running" : outcome}`);
  } catch (fault) {
    if (!(fault instanceof LockHeldError)) say(fault instanceof Error ? fault.message : String(fault));
  } finally {
    for (const lock of locks.reverse()) lock.release();
  }
}

function say(line: string): void {
  process.stderr.write(`${new Date().toISOString()} watchdog [${process.pid}] ${line}\n`);
}

async function watch(): Promise<void> {
  const order = parseWatchdogOrder(process.argv[2] ?? "");
  // A signal to the whole process group or control group reaches this process too; its work begins after the service has ended.
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => {});
  let words = "";
  try {
    for await (const chunk of process.stdin) words += String(chunk);
  } catch {
    // A broken pipe means the same as a closed one.
  }
  if (!words.includes(RELEASE_WORD)) await clearUp(order);
  process.exit(0);
}

await watch();
