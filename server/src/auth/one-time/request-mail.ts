import { inTransaction } from "../../db/index.ts";
import type { AuthAnswer, AuthCall } from "../call.ts";
import type { AuthContext } from "../auth-context.ts";
import { answerEvenly } from "./answer-evenly.ts";
import { inSilentMailTransaction, type MailingClient } from "./in-mail-transaction.ts";
import { claimMailSlot, type MailSlot } from "./mail-throttle.ts";
import { readPkce } from "./pkce.ts";
import { deleteExpired } from "./sql/delete-expired.ts";

export interface MailRequest {
  /** In its normal form. */
  readonly address: string;
  readonly slot: MailSlot;
  /** Leaves a mail, or none, depending on who has the address. */
  post(client: MailingClient): Promise<void>;
}

/**
 * Mail that anybody may ask for by naming an address. Everything that can be refused is refused before the address is
 * looked up, and the answer is given without waiting for the mail.
 */
export async function requestMail(context: AuthContext, call: AuthCall, request: MailRequest): Promise<AuthAnswer> {
  // A promise that is not valid must be refused for addresses without an account too.
  readPkce(call);
  await context.mailer.checkReady();
  return answerEvenly(async () => {
    const now = context.clock.now();
    const throttledBefore = new Date(now.getTime() - context.settings.authMailIntervalSeconds * 1000);
    await inTransaction(context.pool, (client) => deleteExpired(client, now, throttledBefore));
    await inSilentMailTransaction(context, async (client) => {
      await claimMailSlot(context, client, request);
      await request.post(client);
    });
    return { status: 200, body: {} };
  });
}
