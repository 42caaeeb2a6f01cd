import { inTransaction, type Queryable } from "../../db/index.ts";
import type { Mail } from "../mail/mail.ts";
import type { AuthContext } from "../auth-context.ts";
import { releaseThrottle, type ThrottleKey } from "../sql/mail-throttles.ts";

interface ClaimedSlot extends ThrottleKey {
  readonly sentAt: Date;
}

/** A transaction that also collects mails to send. */
export interface MailingClient extends Queryable {
  post(mail: Mail): void;
  /** Records a throttle slot that was claimed for the mails of this transaction. */
  claimed(slot: ClaimedSlot): void;
}

type MailWork<T> = (client: MailingClient) => Promise<T>;
type MailContext = Pick<AuthContext, "mailer" | "pool">;

/**
 * Sends mails after the commit, so that every link that arrives is valid. When a mail cannot be sent, the caller gets
 * the error and the throttle slots are released, so that a retry is possible at once.
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

/** Returns the mails instead of sending them. */
export async function collectMails(context: Pick<MailContext, "pool">, work: MailWork<void>): Promise<readonly Mail[]> {
  return (await commit(context, work)).mails;
}

async function commit<T>(context: Pick<MailContext, "pool">, work: MailWork<T>) {
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
