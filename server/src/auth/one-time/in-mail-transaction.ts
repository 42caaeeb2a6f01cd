import { inTransaction } from "../../db/index.ts";
import type { Mail } from "../mail/mailer.ts";
import type { AuthContext, Queryable } from "../auth-context.ts";
import { releaseThrottle, type ThrottleKey } from "../sql/mail-throttles.ts";

export interface ClaimedSlot extends ThrottleKey {
  readonly sentAt: Date;
}

/** A transaction that can also leave mails to be sent. */
export interface MailingClient extends Queryable {
  post(mail: Mail): void;
  /** A place in the throttle that was taken for the mails of this transaction. */
  claimed(slot: ClaimedSlot): void;
}

type MailWork<T> = (client: MailingClient) => Promise<T>;
type MailContext = Pick<AuthContext, "mailer" | "observer" | "pool">;

/**
 * Mails go out when what they speak of is committed: a link that arrives is good. A mail that cannot be sent is the
 * caller's error, and gives back its place in the throttle, so that asking again is possible at once.
 */
export async function inMailTransaction<T>(context: MailContext, work: MailWork<T>): Promise<T> {
  const { result, mails, slots } = await commit(context, work);
  try {
    for (const mail of mails) await context.mailer.send(mail);
  } catch (error) {
    await inTransaction(context.pool, async (client) => {
      for (const slot of slots) await releaseThrottle(client, slot, slot.sentAt);
    });
    throw error;
  }
  return result;
}

/**
 * The same without waiting for the mail, nor telling what became of it: for callers who must not learn, by answer or by
 * time, whether there was one to send. They ask `mailer.checkReady()` first.
 */
export async function inSilentMailTransaction<T>(context: MailContext, work: MailWork<T>): Promise<T> {
  const { result, mails } = await commit(context, work);
  for (const mail of mails) {
    context.mailer
      .send(mail)
      .catch((error: unknown) => context.observer.note("mail.failed", { kind: mail.kind, error }));
  }
  return result;
}

async function commit<T>(context: MailContext, work: MailWork<T>) {
  const mails: Mail[] = [];
  const slots: ClaimedSlot[] = [];
  const result = await inTransaction(context.pool, (client) =>
    work({
      query: client.query.bind(client),
      post: (mail) => void mails.push(mail),
      claimed: (slot) => void slots.push(slot),
    }),
  );
  return { result, mails, slots };
}
