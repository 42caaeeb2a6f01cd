import { setTimeout as sleep } from "node:timers/promises";
import type { Database } from "./database.ts";

const INTERVAL_MS = 5_000;

/** Checks regularly, so that an outage and its end are logged even without requests. */
export async function watchDatabase(database: Pick<Database, "findFault">, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    await database.findFault();
    await sleep(INTERVAL_MS, undefined, { signal }).catch(() => {});
  }
}
