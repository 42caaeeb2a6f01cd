import { setTimeout as sleep } from "node:timers/promises";
import type { Worker } from "../jobs/index.ts";
import { Alarm, spread } from "./alarm.ts";
import { runSteps } from "./run-steps.ts";
import { deleteExpiredSecrets, failHeldDeliveries, wakeOrphanedLanes, wakeOversleptLanes } from "./sql/housekeeping.ts";
import { type PrunedTable, pruneBatch } from "./sql/prune.ts";
import type { WebhookTools } from "./webhook-options.ts";

const NAME = "webhook-keeper";
const BATCH_SIZE = 500;
const BETWEEN_BATCHES_MS = 50;
const HELD_DAYS = 3;
const FIRST_ID = "00000000-0000-0000-0000-000000000000";
const PRUNED_TABLES: readonly PrunedTable[] = ["attempts", "deliveries", "recoveries"];

export interface KeeperOptions {
  readonly intervalMs: number;
  /** Age in days at which finished deliveries and attempts are removed; 0 keeps them. */
  readonly retentionDays: number;
}

/** What must happen some time: old rows removed, held deliveries given up, leavings of deleted webhooks cleared away. */
export function createKeeper(tools: WebhookTools, { intervalMs, retentionDays }: KeeperOptions): Worker {
  const { pool } = tools;
  const run = async (signal: AbortSignal): Promise<void> => {
    const step = async (): Promise<number> => {
      await wakeOrphanedLanes(pool);
      await wakeOversleptLanes(pool);
      await deleteExpiredSecrets(pool);
      while (!signal.aborted && (await failHeldDeliveries(pool, HELD_DAYS, BATCH_SIZE)) === BATCH_SIZE);
      if (retentionDays > 0) for (const table of PRUNED_TABLES) await prune(table, signal);
      return spread(intervalMs, tools.random);
    };
    await runSteps(step, { ...tools, name: NAME, alarm: new Alarm(), signal });
  };
  /** Small batches with a breath in between, so that nobody waits for a lock or for the disk. */
  const prune = async (table: PrunedTable, signal: AbortSignal): Promise<void> => {
    let afterId: string | null = FIRST_ID;
    while (afterId !== null && !signal.aborted) {
      const { rows, lastId } = await pruneBatch(pool, table, retentionDays, afterId, BATCH_SIZE);
      afterId = rows === BATCH_SIZE ? lastId : null;
      if (afterId !== null) await sleep(BETWEEN_BATCHES_MS, undefined, { signal }).catch(() => {});
    }
  };
  return { name: NAME, run };
}
