import { getHeapStatistics, setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { nextTick } from "./next-tick.ts";
import type { Worker } from "./worker.ts";

const QUIET_MS = 60_000;
const MAX_BUSY_SHARE = 0.01;
const MIN_GROWTH_BYTES = 24 * 1024 ** 2;

/**
 * V8 collects garbage when it needs room. A process that has become quiet needs none, and would keep what its start or its last
 * load has left. Such a collection stops the process for a tenth of a second or more, and discards compiled code, which the next
 * requests compile again: so it waits until nothing has happened for long.
 */
export function createGarbageCollection(quietMs = QUIET_MS): Worker {
  return {
    name: "garbage-collection",
    run: async (signal) => {
      let keptBytes = 0;
      while (!signal.aborted) {
        const [sinceMs, usedBefore] = [performance.now(), process.cpuUsage()];
        await nextTick(quietMs, signal);
        const { user, system } = process.cpuUsage(usedBefore);
        const isQuiet = user + system <= (performance.now() - sinceMs) * 1_000 * MAX_BUSY_SHARE;
        keptBytes = Math.min(keptBytes, readHeapBytes());
        if (signal.aborted || !isQuiet || readHeapBytes() - keptBytes < MIN_GROWTH_BYTES) continue;
        collectGarbage();
        keptBytes = readHeapBytes();
      }
    },
  };
}

function readHeapBytes(): number {
  return getHeapStatistics().total_physical_size;
}

/** Any other collection keeps the pages that it has emptied. */
function collectGarbage(): void {
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as NodeJS.GCFunction;
  setFlagsFromString("--no-expose-gc");
  collect({ type: "major", flavor: "last-resort" });
}
