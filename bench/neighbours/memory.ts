import { listDescendants } from "../agents/descendants.ts";
import { readOwnBytes, readResidentBytes } from "../rest/process-usage.ts";

const POLL_MS = 250;
const MIB = 1024 * 1024;

export interface MemoryWatch {
  /** The largest sum so far, in MiB: the resident memory of the service and the private memory of the backends. */
  stop(): number;
}

export function readMemoryMib(pid: number): number {
  return (readResidentBytes([pid]) + readOwnBytes(listDescendants(pid))) / MIB;
}

export function watchMemory(pid: number): MemoryWatch {
  let peak = readMemoryMib(pid);
  const timer = setInterval(() => {
    peak = Math.max(peak, readMemoryMib(pid));
  }, POLL_MS);
  return {
    stop: () => {
      clearInterval(timer);
      return peak;
    },
  };
}
