import { setTimeout as sleep } from "node:timers/promises";
import type { OperatorContext } from "./operator-route.ts";
import { deleteOldAudit } from "./sql/audit.ts";

const HOUR_MS = 3_600_000;

/** Deletes what has reached its age, once an hour. */
export async function runHousekeeping(signal: AbortSignal, { database, settings }: OperatorContext): Promise<void> {
  while (!signal.aborted) {
    await database.asService((query) => deleteOldAudit(query, settings.OPERATOR_AUDIT_DAYS));
    await sleep(HOUR_MS, undefined, { signal }).catch(() => undefined);
  }
}
