import { setTimeout as sleep } from "node:timers/promises";
import { keepPartitions } from "../db/index.ts";
import { WakeUp, type Worker, spread } from "../jobs/index.ts";
import { runSteps } from "./run-steps.ts";
import {
  disableFullestWebhooks,
  failFullQueues,
  failHeldDeliveries,
  resumeAfterBans,
  runHousekeeping,
} from "./sql/housekeeping.ts";
import { PARTITIONED_TABLES } from "./sql/partitioned-tables.ts";
import { type PrunedTable, pruneBatch } from "./sql/prune-batch.ts";
import type { WebhookTools } from "./webhook-options.ts";

const NAME = "webhook-keeper";
const BATCH_SIZE = 500;
const BETWEEN_BATCHES_MS = 50;
const HELD_DAYS = 3;
const FIRST_ID = "00000000-0000-0000-0000-000000000000";
const DAY_MS = 86_400_000;
const PRUNED_TABLES: readonly PrunedTable[] = ["attempts", "deliveries", "recoveries", "feedEntries"];

interface HousekeepingOptions {
  readonly intervalMs: number;
  /** Age in days at which finished deliveries and attempts are deleted; 0 keeps them. */
  readonly retentionDays: number;
  /** Maximum of waiting deliveries per user; 0 is no limit. */
  readonly queueLimit: number;
  /** The database as the owner of the schema, who drops old partitions; null means that old rows are only deleted one by one. */
  readonly ownerUrl: string | null;
  /** Called after webhooks were enabled again, so that their held deliveries are released. */
  onResumed(): void;
}

/** Deletes old rows, fails deliveries that were held too long, and clears queues of deleted webhooks. */
export function createWebhookHousekeeping(tools: WebhookTools, options: HousekeepingOptions): Worker {
  const { pool, observer } = tools;
  const { intervalMs, retentionDays, queueLimit, ownerUrl, onResumed } = options;
  const run = async (signal: AbortSignal): Promise<void> => {
    const step = async (): Promise<number> => {
      await runHousekeeping(pool);
      if ((await resumeAfterBans(pool)) > 0) onResumed();
      if (queueLimit > 0) await boundQueues(signal);
      while (!signal.aborted && (await failHeldDeliveries(pool, HELD_DAYS, BATCH_SIZE)) === BATCH_SIZE);
      if (ownerUrl !== null)
        for (const table of PARTITIONED_TABLES)
          await keepPartitions({ pool, ownerUrl, observer }, table, retentionDays * DAY_MS);
      if (retentionDays > 0) for (const table of PRUNED_TABLES) await prune(table, signal);
      return spread(intervalMs, tools.random);
    };
    await runSteps(step, { ...tools, name: NAME, wakeUp: new WakeUp(), signal });
  };
  const boundQueues = async (signal: AbortSignal): Promise<void> => {
    for (const webhookId of await disableFullestWebhooks(pool, queueLimit)) {
      observer.note("webhook.queue_full", { webhookId });
    }
    while (!signal.aborted && (await failFullQueues(pool, BATCH_SIZE)) === BATCH_SIZE);
  };
  /** Deletes in small batches with a pause between them, so that no other statement waits for locks or the disk. */
  const prune = async (table: PrunedTable, signal: AbortSignal): Promise<void> => {
    let afterId: string | null = FIRST_ID;
    while (afterId !== null && !signal.aborted) {
      afterId = await pruneBatch(pool, table, retentionDays, afterId, BATCH_SIZE);
      if (afterId !== null) await sleep(BETWEEN_BATCHES_MS, undefined, { signal }).catch(() => {});
    }
  };
  return { name: NAME, run };
}
