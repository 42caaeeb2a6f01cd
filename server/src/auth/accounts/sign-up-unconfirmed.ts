import { randomUUID } from "node:crypto";
import { inTransaction } from "../../db/index.ts";
import type { AuthContext, Queryable } from "../auth-context.ts";
import { authError } from "../auth-error.ts";
import type { AuthCall } from "../call.ts";
import { inMailTransaction, type MailingClient } from "../one-time/in-mail-transaction.ts";
import { sendAddressTaken, sendConfirmation } from "../one-time/send-mail-flow.ts";
import { tryOut } from "../sql/query.ts";
import { findUserByEmail, selectWholeUser, updateUser } from "../sql/users.ts";
import { type RenderedUser, renderUser } from "../users/render-user.ts";
import type { UserRow, WholeUser } from "../users/user-row.ts";
import { createEmailUser, isEmailTaken } from "./create-user.ts";
import type { Metadata } from "./metadata.ts";

/** An account that is about to be made, checked as far as it can be without looking at others. */
export interface Registration {
  readonly email: string;
  readonly passwordHash: string;
  readonly userMetadata: Metadata;
}

const MAX_ATTEMPTS = 3;

/**
 * The account comes to life when its address is confirmed. An address that has one already gets the same answer after
 * the same work and one mail as well: only who reads its mail learns the difference.
 */
export async function signUpUnconfirmed(
  context: AuthContext,
  call: AuthCall,
  { password, ...registration }: Registration & { readonly password: string },
): Promise<RenderedUser> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      const waiting = await compareWithWaiting(context, registration.email, password);
      const user = await inMailTransaction(context, async (client) => {
        const existing = await findUserByEmail(client, registration.email);
        return existing === null
          ? createAndConfirm(context, client, call, registration)
          : answerTaken(context, client, call, { registration, existing, waiting });
      });
      return renderUser(user);
    } catch (error) {
      // Somebody else was faster with this address; now there is an account.
      if (!isEmailTaken(error) || attempt === MAX_ATTEMPTS) throw error;
    }
  }
}

async function createAndConfirm(
  context: AuthContext,
  client: MailingClient,
  call: AuthCall,
  registration: Registration,
): Promise<WholeUser> {
  const created = await createEmailUser(context, client, { ...registration, isConfirmed: false });
  const user = await sendConfirmation(context, client, { user: created, call, redirectTo: call.query["redirect_to"] });
  return selectWholeUser(client, user);
}

interface Taken {
  readonly registration: Registration;
  readonly existing: UserRow;
  readonly waiting: WaitingPassword;
}

async function answerTaken(
  context: AuthContext,
  client: MailingClient,
  call: AuthCall,
  { registration, existing, waiting }: Taken,
): Promise<WholeUser> {
  const decoy = await tryOut(client, () => createDecoy(context, client, registration));
  if (existing.email_confirmed_at === null) {
    const user = await sendConfirmation(context, client, {
      user: existing,
      call,
      redirectTo: call.query["redirect_to"],
    });
    await settlePassword(client, user, waiting);
  } else {
    await sendAddressTaken(context, client, registration.email);
  }
  return decoy;
}

/**
 * Of two who sign up with one address, which one reads its mail is not known; whoever does would let the other in by
 * confirming. So when their passwords differ neither counts, and the one who has the mail chooses a new one.
 */
async function settlePassword(client: Queryable, user: UserRow, waiting: WaitingPassword): Promise<void> {
  if (user.email_confirmed_at !== null || user.password_hash === null) return;
  // It came after the look at the account: look again.
  if (user.password_hash !== waiting.hash) throw authError("email_exists");
  if (!waiting.isSame) await updateUser(client, user.id, { password_hash: null });
}

/** A user as it would look like, made as a real one so that it never differs from one. */
async function createDecoy(context: AuthContext, client: Queryable, registration: Registration): Promise<WholeUser> {
  const { email } = registration;
  const stranger = { ...registration, email: `${randomUUID()}@decoy.invalid`, isConfirmed: false };
  const { row, identities, factors } = await selectWholeUser(client, await createEmailUser(context, client, stranger));
  return {
    row: {
      ...row,
      email,
      confirmation_sent_at: context.clock.now(),
      user_metadata: { ...row.user_metadata, email },
    },
    identities: identities.map((identity) => ({
      ...identity,
      email,
      identity_data: { ...identity.identity_data, email },
    })),
    factors,
  };
}

/** The password of an account whose address nobody has confirmed yet. */
export interface WaitingPassword {
  /** Null when none waits. */
  readonly hash: string | null;
  /** Whether it is the one that was given now. */
  readonly isSame: boolean;
}

/** Takes as long for every address, whether an account waits there or not. */
async function compareWithWaiting(context: AuthContext, email: string, password: string): Promise<WaitingPassword> {
  const user = await inTransaction(context.pool, (client) => findUserByEmail(client, email));
  const hash = user === null || user.email_confirmed_at !== null ? null : user.password_hash;
  const { isMatch } = await context.hasher.verify(hash, password);
  return { hash, isSame: isMatch };
}
