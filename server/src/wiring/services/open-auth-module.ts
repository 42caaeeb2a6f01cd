import { type AuthContext, createAccountMails, createMailOutbox, openAuth } from "../../auth/index.ts";
import type { Worker } from "../../jobs/index.ts";
import type { OpenNodeContext } from "../node-context.ts";

export interface OpenedAuth {
  readonly auth: AuthContext;
  /** Sends the mails of the outbox. */
  readonly outbox: ReturnType<typeof createMailOutbox>;
  /** Sends the mails that requests of users have asked for. */
  readonly accountMails: Worker;
}

export async function openAuthModule(
  { settings, database, masterKey, observer, clock, baseUrl, closers, copyHold }: OpenNodeContext,
  prepareWithdrawal: AuthContext["prepareWithdrawal"],
): Promise<OpenedAuth> {
  const auth = await openAuth({
    settings,
    pool: database.service,
    masterKey,
    observer,
    clock,
    baseUrl,
    requireMail: () => copyHold.requireReleased(),
    // The original of a copy still uses the tokens.
    prepareWithdrawal: async (userId) => (copyHold.isHeld ? () => {} : prepareWithdrawal(userId)),
  });
  closers.add("mailer", () => auth.mailer.close());
  closers.add("seen refreshes", () => auth.seenRefreshes.flush());
  closers.add("uses of API keys", () => auth.userKeys.flush());
  return {
    auth,
    outbox: createMailOutbox(auth, { random: Math.random, commits: database.commits }),
    accountMails: createAccountMails(auth, { random: Math.random, commits: database.commits }),
  };
}
