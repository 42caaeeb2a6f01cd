import { setTimeout as sleep } from "node:timers/promises";
import type { OperatorContext } from "./operator-route.ts";
import { deleteOldAudit } from "./sql/audit.ts";
import { KINDS, type MetricName } from "./observe/sample-metrics.ts";
import { mergeSamples, trimObservations } from "./sql/observations.ts";
import { trimUserDays } from "./sql/user-days.ts";

const MINUTE_MS = 60_000;
const METRICS = Object.keys(KINDS) as MetricName[];
/** What becomes of the values of samples that are put together, by metric; of the others the mean of the samples stays. */
const MERGED = {
  added: METRICS.filter((name) => KINDS[name] === "rate"),
  highest: METRICS.filter((name) => KINDS[name] === "peak" || KINDS[name] === "shared"),
  byRequest: METRICS.filter((name) => KINDS[name] === "mean"),
};

/** Deletes what has reached its age, and the oldest log lines above their number. */
export async function runHousekeeping(signal: AbortSignal, { database, settings }: OperatorContext): Promise<void> {
  while (!signal.aborted) {
    await database.asService(async (query) => {
      await deleteOldAudit(query, settings.OPERATOR_AUDIT_RETENTION_DAYS);
      await trimObservations(query, settings.OPERATOR_LOG_LINES_KEPT);
      await mergeSamples(query, MERGED);
      await trimUserDays(query);
    });
    await sleep(MINUTE_MS, undefined, { signal }).catch(() => undefined);
  }
}
