import { randomUUID } from "node:crypto";
import { Alarm, spread, type Worker } from "../jobs/index.ts";
import { runSteps } from "./run-steps.ts";
import {
  claimOwnerNotice,
  deleteObsoleteNotices,
  endOwnerNotice,
  type OwnerNotice,
  postponeOwnerNotice,
} from "./sql/owner-notices.ts";
import type { WebhookTools } from "./webhook-options.ts";

const NAME = "webhook-owner-notifier";
/** Longer than sending a mail can take. When the process dies, another one sends the mail after it. */
const LEASE_MS = 300_000;

export interface OwnerNotifierOptions {
  readonly pollMs: number;
  /** Settles when the mail was handed over; rejects when it could not be. */
  mailOwner(notice: OwnerNotice): Promise<void>;
}

/**
 * Mails owners about webhooks that the service switched off. The transaction that switches a webhook off inserts the notice, and
 * the notice is marked as sent after the mail. A crash therefore loses no mail; a crash between the two sends it twice.
 */
export function createOwnerNotifier(tools: WebhookTools, { pollMs, mailOwner }: OwnerNotifierOptions): Worker {
  const { pool, observer, random } = tools;
  const step = async (): Promise<number> => {
    await deleteObsoleteNotices(pool);
    const claim = randomUUID();
    const notice = await claimOwnerNotice(pool, claim, LEASE_MS);
    if (notice === null) return spread(pollMs, random);
    try {
      await mailOwner(notice);
    } catch (error) {
      observer.note("webhook.notice_failed", { webhooks: notice.webhooks.length, error });
      await postponeOwnerNotice(pool, claim);
      return 0;
    }
    await endOwnerNotice(pool, claim);
    return 0;
  };
  const run = async (signal: AbortSignal): Promise<void> => {
    const alarm = new Alarm();
    // Workers start before the service listens, and the link in a mail needs the address of the service.
    await alarm.sleep(spread(pollMs, random), signal);
    await runSteps(step, { ...tools, name: NAME, alarm, signal });
  };
  return { name: NAME, run };
}
