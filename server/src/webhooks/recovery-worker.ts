import type { WakeUp, Worker } from "../jobs/index.ts";
import { runSteps } from "./run-steps.ts";
import { advanceRecovery } from "./sql/recoveries.ts";
import type { WebhookTools } from "./webhook-options.ts";

const NAME = "webhook-recovery";
const BATCH_SIZE = 500;

interface RecoveryOptions {
  readonly wakeUp: WakeUp;
  readonly pollMs: number;
  /** Deliveries wait for a claim. */
  onDeliveries(): void;
}

/** Advances running recoveries batch by batch, regardless of the node that started them. */
export function createRecoveryWorker(tools: WebhookTools, { wakeUp, pollMs, onDeliveries }: RecoveryOptions): Worker {
  const step = async (): Promise<number> => {
    const recovered = await advanceRecovery(tools.pool, BATCH_SIZE);
    if (recovered === null) return Number.POSITIVE_INFINITY;
    if (recovered > 0) onDeliveries();
    return 0;
  };
  return { name: NAME, run: (signal) => runSteps(step, { ...tools, name: NAME, wakeUp, everyMs: pollMs, signal }) };
}
