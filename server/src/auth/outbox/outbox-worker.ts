import { WakeUp, spread, type Worker } from "../../jobs/index.ts";
import type { AuthContext } from "../auth-context.ts";
import { isRecipientRejected } from "../mail/smtp-policy.ts";
import { type ClaimedMail, claimMails, endMail, postponeMail } from "../sql/mail-outbox.ts";
import { type ComposeMail, MAIL_COMPOSERS } from "./compose-mail.ts";

type OutboxContext = Pick<AuthContext, "pool" | "observer" | "mailer" | "baseUrl" | "settings">;

export interface MailOutboxOptions {
  readonly composers?: Readonly<Record<string, ComposeMail>>;
  /** Returns a number in [0, 1), like Math.random. */
  readonly random: () => number;
  readonly pollMs?: number;
}

export interface MailOutbox {
  readonly worker: Worker;
  /** Makes the worker of this node poll now. */
  wake(): void;
}

const POLL_MS = 5_000;
/** The number of connections of the SMTP pool. */
const BATCH_SIZE = 5;
/** Longer than one mail takes, with all attempts and timeouts of the SMTP client. */
const LEASE_SECONDS = 300;

/**
 * Sends the mails of `private.mail_outbox`. When a worker dies while it sends, its lease expires and the mail is sent
 * again under the same identity: a file replaces the first one, and over SMTP the Message-ID is the same.
 */
export function createMailOutbox(context: OutboxContext, options: MailOutboxOptions): MailOutbox {
  const { composers = MAIL_COMPOSERS, random, pollMs = POLL_MS } = options;
  const wakeUp = new WakeUp();
  const claim = { kinds: Object.keys(composers), maxRows: BATCH_SIZE, leaseSeconds: LEASE_SECONDS };
  const run = async (signal: AbortSignal): Promise<void> => {
    // Workers start before the service listens, and the links in mails need its URL.
    await wakeUp.sleep(spread(pollMs, random), signal);
    while (!signal.aborted) {
      const claimed = await claimMails(context.pool, claim);
      await Promise.all(claimed.map((mail) => sendClaimed(context, composers[mail.kind], mail)));
      if (claimed.length < BATCH_SIZE) await wakeUp.sleep(spread(pollMs, random), signal);
    }
  };
  return { worker: { name: "mail-outbox", run }, wake: () => wakeUp.trigger() };
}

async function sendClaimed(
  context: OutboxContext,
  compose: ComposeMail | undefined,
  claimed: ClaimedMail,
): Promise<void> {
  const { pool, observer, mailer } = context;
  const { id, kind, to, attempts, createdAt } = claimed;
  try {
    const mail = to === null || compose === undefined ? null : await compose(context, { ...claimed, to });
    if (mail === null) return await endMail(pool, claimed, "obsolete");
    await mailer.send({ ...mail, outbox: { id, createdAt } });
  } catch (error) {
    const isFinal = error instanceof Error && isRecipientRejected(error.cause);
    const delaySeconds = isFinal ? null : decideMailRetrySeconds(attempts);
    if (delaySeconds === null) {
      observer.note("mail.failed", { kind, error });
      return endMail(pool, claimed, "undeliverable");
    }
    observer.note("mail.retried", { kind, attempt: attempts, error });
    return postponeMail(pool, claimed, delaySeconds);
  }
  await endMail(pool, claimed, "sent");
}

const RETRY_DELAYS_SECONDS = [60, 300, 1_800, 7_200] as const;
const MAX_ATTEMPTS = 15;

/** Returns null when the mail is given up, a little more than a day after the first attempt. */
export function decideMailRetrySeconds(attempts: number): number | null {
  if (attempts >= MAX_ATTEMPTS) return null;
  return RETRY_DELAYS_SECONDS[Math.min(attempts, RETRY_DELAYS_SECONDS.length) - 1] ?? RETRY_DELAYS_SECONDS[0];
}
