// Loaded into the service before its own code: reports the delay of its event loop and its memory over a loopback port.
import { createServer } from "node:http";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { isMainThread } from "node:worker_threads";

export interface ProbeReport {
  readonly pid: number;
  readonly loopDelayP50Ms: number;
  readonly loopDelayP99Ms: number;
  readonly loopDelayMaxMs: number;
  readonly cpuMs: number;
  readonly rssBytes: number;
  readonly heapBytes: number;
}

const RESOLUTION_MS = 10;
const port = Number(process.env["BENCH_PROBE_PORT"] ?? 0);

// Worker threads load it, too, and could not listen on the same port.
if (port > 0 && isMainThread) {
  setFlagsFromString("--expose-gc");
  const collectGarbage = runInNewContext("gc") as () => void;
  const delays = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  delays.enable();
  // A timer is due after the resolution, so the rest is the delay.
  const late = (nanoseconds: number): number => Math.max(0, nanoseconds / 1e6 - RESOLUTION_MS);
  const server = createServer((request, response) => {
    const report = {
      pid: process.pid,
      loopDelayP50Ms: late(delays.percentile(50)),
      loopDelayP99Ms: late(delays.percentile(99)),
      loopDelayMaxMs: late(delays.max),
    };
    if (request.url === "/collect") collectGarbage();
    const { user, system } = process.cpuUsage();
    const { rss, heapUsed } = process.memoryUsage();
    response.end(
      JSON.stringify({
        ...report,
        cpuMs: (user + system) / 1_000,
        rssBytes: rss,
        heapBytes: heapUsed,
      } satisfies ProbeReport),
    );
    delays.reset();
  });
  server.listen(port, "127.0.0.1").unref();
}
