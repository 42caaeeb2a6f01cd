import { setTimeout as sleep } from "node:timers/promises";
import type { OperatorContext } from "./operator-route.ts";
import { deleteOldAudit } from "./sql/audit.ts";
import { trimObservations } from "./sql/observations.ts";

const MINUTE_MS = 60_000;

/** Deletes what has reached its age, and the oldest log lines above their number. */
export async function runHousekeeping(signal: AbortSignal, { database, settings }: OperatorContext): Promise<void> {
  while (!signal.aborted) {
    await database.asService(async (query) => {
      await deleteOldAudit(query, settings.OPERATOR_AUDIT_RETENTION_DAYS);
      await trimObservations(query, settings.OPERATOR_LOG_LINES_KEPT);
    });
    await sleep(MINUTE_MS, undefined, { signal }).catch(() => undefined);
  }
}
