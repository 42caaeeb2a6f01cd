import { setTimeout as sleep } from "node:timers/promises";
import type { Settings } from "../config/index.ts";
import { spread, type Worker } from "../jobs/index.ts";
import type { AuthContext } from "./auth-context.ts";
import { FAILURE_MEMORY_MS } from "./mfa/challenge-factor.ts";
import { pruneSessions, pruneStale, STALE_ROWS, type StaleRows } from "./sql/expired-rows.ts";

interface AuthHousekeepingOptions {
  readonly settings: Pick<
    Settings,
    "authAuditRetentionDays" | "authRetentionDays" | "authSessionIdleTtlSeconds" | "authMailIntervalSeconds"
  >;
  /** Returns a number in [0, 1), like Math.random. */
  readonly random: () => number;
  readonly intervalMs?: number;
  readonly batchSize?: number;
}

const DAY_MS = 86_400_000;
const INTERVAL_MS = 3_600_000;
const BATCH_SIZE = 500;
const BETWEEN_BATCHES_MS = 50;
const FIRST_ID = "00000000-0000-0000-0000-000000000000";

/** Deletes ended sessions, expired codes, flows, challenges and nonces, clients that nobody uses, old audit entries, and mails that were sent or dropped. */
export function createAuthHousekeeping(
  context: Pick<AuthContext, "pool" | "clock">,
  o: AuthHousekeepingOptions,
): Worker {
  const { pool, clock } = context;
  const { random, intervalMs = INTERVAL_MS, batchSize = BATCH_SIZE } = o;
  const { authRetentionDays: days, authSessionIdleTtlSeconds: idleSeconds, authMailIntervalSeconds } = o.settings;
  const { authAuditRetentionDays: auditDays } = o.settings;
  const keptMs = (name: StaleRows): number => {
    if (name === "throttles") return authMailIntervalSeconds * 1000;
    // Otherwise wrong codes would be forgotten before they stop to count.
    if (name === "challenges") return FAILURE_MEMORY_MS;
    if (name === "audit entries") return auditDays * DAY_MS;
    // A sign-in can wait this long in a page, which must then learn why its challenge is not accepted.
    if (name === "passkey challenges") return INTERVAL_MS;
    if (name === "unused clients") return DAY_MS;
    if (name === "unused documents") return INTERVAL_MS;
    // Longer than the day within which nobody gets the same notification twice.
    return name === "ended mails" ? DAY_MS : 0;
  };
  const run = async (signal: AbortSignal): Promise<void> => {
    const pause = (ms: number) => sleep(ms, undefined, { signal }).catch(() => {});
    while (!signal.aborted) {
      const nowMs = clock.now().getTime();
      for (const name of STALE_ROWS) {
        if (name === "audit entries" && auditDays === 0) continue;
        const before = new Date(nowMs - keptMs(name));
        while (!signal.aborted && (await pruneStale(pool, name, before, batchSize)) === batchSize)
          await pause(BETWEEN_BATCHES_MS);
      }
      const endedBefore = new Date(nowMs - days * DAY_MS);
      const idleSince = idleSeconds === 0 ? null : new Date(endedBefore.getTime() - idleSeconds * 1000);
      let afterId: string | null = days === 0 ? null : FIRST_ID;
      while (afterId !== null && !signal.aborted) {
        const { rows, lastId } = await pruneSessions(pool, { endedBefore, idleSince, afterId, maxRows: batchSize });
        afterId = rows === batchSize ? lastId : null;
        if (afterId !== null) await pause(BETWEEN_BATCHES_MS);
      }
      // Plus or minus a fifth, so that nodes that start together do not run together.
      await pause(spread(intervalMs, random));
    }
  };
  return { name: "auth-keeper", run };
}
