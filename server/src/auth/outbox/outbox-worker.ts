import { type Commits, poll, spread, WakeUp, type Worker } from "../../jobs/index.ts";
import type { AuthContext } from "../auth-context.ts";
import { isRecipientRejected } from "../mail/smtp-policy.ts";
import { ACCOUNT_MAIL } from "../one-time/mail-jobs.ts";
import {
  CHANGE_MAIL,
  type ClaimedMail,
  claimMails,
  deleteMail,
  endMail,
  type MailOutcome,
  postponeMail,
  selectNextMailMs,
} from "../sql/mail-outbox.ts";
import { composeAccountMail } from "./compose-account-mail.ts";
import {
  type ComposeContext,
  type ComposeMail,
  composeAccountChanged,
  composeSwarmInvitation,
  composeWebhookDisabled,
} from "./compose-mail.ts";

type OutboxContext = ComposeContext & Pick<AuthContext, "observer" | "mailer">;

/** By the column `kind`. A kind that is not listed stays in the outbox. */
type Composers = Readonly<Record<string, ComposeMail>>;

const NOTIFICATIONS: Composers = {
  swarm_invitation: composeSwarmInvitation,
  webhook_disabled: composeWebhookDisabled,
  [CHANGE_MAIL]: composeAccountChanged,
};

export const ACCOUNT_MAILS: Composers = { [ACCOUNT_MAIL]: composeAccountMail };

interface MailOutboxOptions {
  readonly composers?: Composers;
  /** Returns a number in [0, 1), like Math.random. */
  readonly random: () => number;
  readonly commits?: Commits | undefined;
  readonly pollMs?: number;
}

interface MailOutbox {
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
 * Sends the notifications of `private.mail_outbox`. When a worker dies while it sends, its lease expires and the mail is
 * sent again under the same identity: a file replaces the first one, and over SMTP the Message-ID is the same.
 */
export function createMailOutbox(context: OutboxContext, options: MailOutboxOptions): MailOutbox {
  const { composers = NOTIFICATIONS, random, commits, pollMs = POLL_MS } = options;
  const wakeUp = new WakeUp();
  const run = (signal: AbortSignal): Promise<void> =>
    sendUntil(signal, { context, composers, wakeUp, random, commits, pollMs });
  return { worker: { name: "mail-outbox", run }, wake: () => wakeUp.trigger() };
}

/** Sends the mails that requests under `/auth/v1` ask for; notifications never delay them. */
export function createAccountMails(
  context: OutboxContext & Pick<AuthContext, "mailWakeUp">,
  { random, commits }: Pick<MailOutboxOptions, "random" | "commits">,
): Worker {
  const sending = { context, composers: ACCOUNT_MAILS, wakeUp: context.mailWakeUp, random, commits, pollMs: POLL_MS };
  return { name: "account-mails", run: (signal) => sendUntil(signal, sending) };
}

interface Sending extends Required<Pick<MailOutboxOptions, "composers" | "random" | "pollMs">> {
  readonly commits: Commits | undefined;
  readonly context: OutboxContext;
  readonly wakeUp: WakeUp;
}

async function sendUntil(signal: AbortSignal, sending: Sending): Promise<void> {
  const { context, composers, wakeUp, random, commits, pollMs } = sending;
  // Workers start before the service listens, and the links in mails need its URL.
  await wakeUp.sleep(spread(pollMs, random), signal);
  const step = async (): Promise<number> => {
    const count = await sendDueMails(context, composers);
    if (count === BATCH_SIZE) return 0;
    return Math.max(pollMs, await selectNextMailMs(context.pool, Object.keys(composers)));
  };
  const onFailure = (error: unknown): never => {
    throw error;
  };
  await poll(step, { signal, random, wakeUp, commits, everyMs: pollMs, onFailure });
}

/** Sends a batch of the mails that are due, and returns their number. */
export async function sendDueMails(context: OutboxContext, composers: Composers): Promise<number> {
  const claim = { kinds: Object.keys(composers), maxRows: BATCH_SIZE, leaseSeconds: LEASE_SECONDS };
  const claimed = await claimMails(context.pool, claim);
  await Promise.all(claimed.map((mail) => sendClaimed(context, composers[mail.kind], mail)));
  return claimed.length;
}

async function sendClaimed(
  context: OutboxContext,
  compose: ComposeMail | undefined,
  claimed: ClaimedMail,
): Promise<void> {
  const { pool, observer, mailer } = context;
  const { id, kind, to, attempts, createdAt } = claimed;
  // The data of a request for a mail is nobody's business after it.
  const end = (outcome: MailOutcome): Promise<void> =>
    kind === ACCOUNT_MAIL ? deleteMail(pool, claimed) : endMail(pool, claimed, outcome);
  try {
    const mails = to === null || compose === undefined ? [] : await compose(context, { ...claimed, to });
    if (mails.length === 0) return await end("obsolete");
    for (const [index, mail] of mails.entries()) {
      await mailer.send({ ...mail, outbox: { id: index === 0 ? id : `${id}-${index}`, createdAt } });
    }
  } catch (error) {
    const isFinal = error instanceof Error && isRecipientRejected(error.cause);
    const delaySeconds = isFinal ? null : decideMailRetrySeconds(attempts);
    if (delaySeconds === null) {
      observer.note("mail.failed", { kind, error });
      return end("undeliverable");
    }
    observer.note("mail.retried", { kind, attempt: attempts, error });
    return postponeMail(pool, claimed, delaySeconds);
  }
  await end("sent");
}

const RETRY_DELAYS_SECONDS = [60, 300, 1_800, 7_200] as const;
const MAX_ATTEMPTS = 15;

/** Returns null when the mail is given up, a little more than a day after the first attempt. */
export function decideMailRetrySeconds(attempts: number): number | null {
  if (attempts >= MAX_ATTEMPTS) return null;
  return RETRY_DELAYS_SECONDS[Math.min(attempts, RETRY_DELAYS_SECONDS.length) - 1] ?? RETRY_DELAYS_SECONDS[0];
}
