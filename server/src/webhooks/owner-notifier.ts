import { randomUUID } from "node:crypto";
import { Alarm, spread, type Worker } from "../jobs/index.ts";
import { runSteps } from "./run-steps.ts";
import {
  claimOwnerNotice,
  deleteVainNotices,
  endOwnerNotice,
  type OwnerNotice,
  postponeOwnerNotice,
} from "./sql/owner-notices.ts";
import type { WebhookTools } from "./webhook-options.ts";

const NAME = "webhook-owner-notifier";
/** Longer than a mail server may take. A process that ends in between leaves the mail to another one after it. */
const LEASE_MS = 300_000;

export interface OwnerNotifierOptions {
  readonly pollMs: number;
  /** Settles when the mail was handed over; rejects when it could not be. */
  mailOwner(notice: OwnerNotice): Promise<void>;
}

/**
 * Mails owners about webhooks that were switched off. The notice is a row of the transaction that switched the webhook off, and
 * is marked as sent after the mail: it is lost by no crash, and repeated only by one between the two.
 */
export function createOwnerNotifier(tools: WebhookTools, { pollMs, mailOwner }: OwnerNotifierOptions): Worker {
  const { pool, observer, random } = tools;
  const step = async (): Promise<number> => {
    await deleteVainNotices(pool);
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
    // Workers start before the service listens, and until then nobody knows where a link in a mail leads to.
    await alarm.sleep(spread(pollMs, random), signal);
    await runSteps(step, { ...tools, name: NAME, alarm, signal });
  };
  return { name: NAME, run };
}
