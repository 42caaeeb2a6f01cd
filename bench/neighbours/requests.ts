import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { type HttpTarget, openConnection } from "../load/http-connection.ts";

/** 0: no answer. */
export async function sendOnce(target: HttpTarget, request: Buffer, signal: AbortSignal): Promise<number> {
  try {
    const connection = await openConnection(target);
    try {
      return await Promise.race([connection.send(request), aborted(signal).then(() => 0)]);
    } finally {
      connection.close();
    }
  } catch {
    return 0;
  }
}

export async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await sleep(ms, undefined, { signal }).catch(() => {});
}

export async function aborted(signal: AbortSignal): Promise<void> {
  if (!signal.aborted) await once(signal, "abort");
}
