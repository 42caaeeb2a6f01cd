import { resolve } from "node:path";
import { type Asked, forkAsked } from "../rest/child.ts";
import type { MemoryAnswer, MemoryQuestion } from "./memory-process.ts";

/** Reads the memory of a service and its database, in MiB: the resident memory of the service and the private memory of the backends. */
export interface MemoryWatch extends Pick<Asked<MemoryQuestion, MemoryAnswer>, "pid" | "stop"> {
  readNow(): Promise<number>;
  /** The largest value since the last call. */
  takePeak(): Promise<number>;
}

/** In a separate process: reading `/proc` takes long enough to delay what the victim measures. */
export async function watchMemory(pid: number): Promise<MemoryWatch> {
  const watching = forkAsked<MemoryQuestion, MemoryAnswer>(resolve(import.meta.dirname, "memory-process.ts"));
  await watching.ask({ kind: "start", pid });
  return {
    pid: watching.pid,
    readNow: async () => (await watching.ask({ kind: "read" })).nowMib,
    takePeak: async () => (await watching.ask({ kind: "take peak" })).peakMib,
    stop: () => watching.stop(),
  };
}
