import { once } from "node:events";
import { WebSocket } from "ws";
import type { Cleanup } from "../support/database.ts";

export interface Inspector {
  /** Megabytes that are in use when everything that is not has been collected. */
  measureLive(): Promise<LiveMemory>;
}

interface LiveMemory {
  readonly heapMb: number;
  /** Buffers, which lie outside of the heap. */
  readonly bufferMb: number;
}

/** For the program to be looked into: on a port that it finds for itself and tells on its error stream. */
export const INSPECTED = "--inspect=127.0.0.1:0";

const BYTES_PER_MB = 1_048_576;
const TIMEOUT_MS = 60_000;

interface Answer {
  readonly id?: number;
  readonly result?: Readonly<Record<string, unknown>>;
  readonly error?: { readonly message: string };
}

/** Looks into a process through its inspector, which can collect garbage at once where a heap only shows when it pleases to. */
export async function openInspector(t: Cleanup, output: string): Promise<Inspector> {
  const address = /Debugger listening on (ws:\/\/\S+)/.exec(output)?.[1];
  if (address === undefined) throw new Error("the service does not say where its inspector listens");
  const socket = new WebSocket(address);
  await once(socket, "open");
  t.after(async () => socket.terminate());
  let asked = 0;
  const ask = async (method: string): Promise<Readonly<Record<string, unknown>>> => {
    asked += 1;
    const id = asked;
    const answered = Promise.withResolvers<Readonly<Record<string, unknown>>>();
    const timer = setTimeout(() => answered.reject(new Error(`${method} was not answered`)), TIMEOUT_MS);
    const read = (bytes: Buffer): void => {
      const answer = JSON.parse(bytes.toString()) as Answer;
      if (answer.id !== id) return;
      if (answer.result === undefined) answered.reject(new Error(`${method}: ${answer.error?.message}`));
      else answered.resolve(answer.result);
    };
    const lose = (): void => answered.reject(new Error("the service is gone"));
    socket.on("message", read).on("close", lose);
    try {
      socket.send(JSON.stringify({ id, method }));
      return await answered.promise;
    } finally {
      clearTimeout(timer);
      socket.off("message", read).off("close", lose);
    }
  };
  return {
    measureLive: async () => {
      await ask("HeapProfiler.collectGarbage");
      const { usedSize, backingStorageSize } = await ask("Runtime.getHeapUsage");
      return { heapMb: Number(usedSize) / BYTES_PER_MB, bufferMb: Number(backingStorageSize) / BYTES_PER_MB };
    },
  };
}
