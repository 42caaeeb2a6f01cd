import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { get } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import type { Inspector } from "./inspector.ts";
import type { MemorySnapshot, MemorySample } from "./judge-memory.ts";

export interface MemoryWatch {
  readonly samples: readonly MemorySample[];
  stop(): Promise<void>;
}

const INTERVAL_MS = 500;
const KIB_PER_MB = 1024;
const BYTES_PER_MB = 1_048_576;

/**
 * Looks at the size of a process from outside, and at its heap through the figures that it serves. Those are asked for beside, as a
 * service under load may take its time.
 */
export function watchMemory(pid: number, metricsPort: number): MemoryWatch {
  const samples: MemorySample[] = [];
  const stopping = new AbortController();
  const repeat = async (snapshot: () => Promise<void>): Promise<void> => {
    while (!stopping.signal.aborted) {
      await snapshot();
      await sleep(INTERVAL_MS, undefined, { signal: stopping.signal }).catch(() => {});
    }
  };
  let newestHeapMb: number | null = null;
  const watching = Promise.all([
    repeat(async () => {
      newestHeapMb = await readHeapMb(metricsPort).catch(() => null);
    }),
    repeat(async () => {
      samples.push({ atMs: performance.now(), rssMb: await readRssMb(pid), heapMb: newestHeapMb });
      newestHeapMb = null;
    }),
  ]);
  return {
    samples,
    stop: async () => {
      stopping.abort();
      await watching;
    },
  };
}

export async function takeSnapshot(
  name: MemorySnapshot["name"],
  inspector: Inspector,
  pid: number,
): Promise<MemorySnapshot> {
  const { heapMb: liveMb, bufferMb } = await inspector.measureLive();
  return { name, atMs: performance.now(), rssMb: await readRssMb(pid), liveMb, bufferMb };
}

async function readRssMb(pid: number): Promise<number> {
  if (process.platform === "linux") {
    const status = await readFile(`/proc/${pid}/status`, "utf8");
    return Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1]) / KIB_PER_MB;
  }
  const { stdout } = await promisify(execFile)("ps", ["-o", "rss=", "-p", String(pid)]);
  return Number(stdout) / KIB_PER_MB;
}

function readHeapMb(port: number): Promise<number | null> {
  return new Promise((resolve, reject) => {
    get({ host: "127.0.0.1", port, path: "/metrics", agent: false, timeout: 5_000 }, (response) => {
      let text = "";
      response.setEncoding("utf8").on("data", (part: string) => {
        text += part;
      });
      response.on("end", () => {
        const bytes = /^nodejs_heap_size_used_bytes (\S+)$/m.exec(text)?.[1];
        resolve(bytes === undefined ? null : Number(bytes) / BYTES_PER_MB);
      });
    })
      .on("timeout", function (this: { destroy(): void }) {
        this.destroy();
      })
      .on("error", reject);
  });
}
