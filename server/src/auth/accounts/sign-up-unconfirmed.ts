import { randomUUID } from "node:crypto";
import type { AuthContext, Queryable } from "../auth-context.ts";
import { authError } from "../auth-error.ts";
import type { AuthCall } from "../call.ts";
import { inMailTransaction, type MailingClient } from "../one-time/in-mail-transaction.ts";
import { sendAddressTaken, sendLink } from "../one-time/send-mail-flow.ts";
import { runAndRollBack } from "../sql/query.ts";
import { findUserByEmail, selectWholeUser, updateUser } from "../sql/users.ts";
import { type RenderedUser, renderUser } from "../users/render-user.ts";
import type { UserRow, WholeUser } from "../users/user-row.ts";
import { createEmailUser, isEmailTaken } from "./create-user.ts";
import type { Metadata } from "./metadata.ts";

/** A validated account that is not stored yet. */
export interface Registration {
  readonly email: string;
  readonly passwordHash: string;
  readonly userMetadata: Metadata;
}

const MAX_ATTEMPTS = 3;

/**
 * Creates an account that becomes usable when its address is confirmed. When the address is taken, the response, the
 * work and the number of mails are the same, so that only the owner of the mailbox learns the difference.
 */
export async function signUpUnconfirmed(
  context: AuthContext,
  call: AuthCall,
  { password, ...registration }: Registration & { readonly password: string },
): Promise<RenderedUser> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      const waiting = await comparePendingPassword(context, registration.email, password);
      const user = await inMailTransaction(context, async (client) => {
        const existing = await findUserByEmail(client, registration.email);
        return existing === null
          ? createAndConfirm(context, client, call, registration)
          : respondToTakenAddress(context, client, call, { registration, existing, waiting });
      });
      return renderUser(user);
    } catch (error) {
      // A concurrent sign-up created the account.
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
  return selectWholeUser(client, await sendConfirmation(context, client, call, created));
}

function sendConfirmation(context: AuthContext, client: MailingClient, call: AuthCall, user: UserRow) {
  return sendLink(context, client, { kind: "confirmation", user, call, redirectTo: call.query["redirect_to"] });
}

interface Taken {
  readonly registration: Registration;
  readonly existing: UserRow;
  readonly waiting: PendingPassword;
}

async function respondToTakenAddress(
  context: AuthContext,
  client: MailingClient,
  call: AuthCall,
  { registration, existing, waiting }: Taken,
): Promise<WholeUser> {
  const decoy = await runAndRollBack(client, () => createDecoy(context, client, registration));
  if (existing.email_confirmed_at === null) {
    await settlePassword(client, await sendConfirmation(context, client, call, existing), waiting);
  } else {
    await sendAddressTaken(context, client, registration.email);
  }
  return decoy;
}

/**
 * When two sign-ups use one address, nobody knows which of them owns the mailbox, and confirming would admit the other
 * one. When their passwords differ, neither is kept, and the owner of the mailbox sets a new one.
 */
async function settlePassword(client: Queryable, user: UserRow, waiting: PendingPassword): Promise<void> {
  if (user.email_confirmed_at !== null || user.password_hash === null) return;
  // The password was set after it was compared: try again.
  if (user.password_hash !== waiting.hash) throw authError("email_exists");
  if (!waiting.isSame) await updateUser(client, user.id, { password_hash: null });
}

/** A user as it would look. It is created like a real one and rolled back, so that the two never differ. */
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

/** The password of an account whose address is not confirmed yet. */
interface PendingPassword {
  /** Null when there is no such account. */
  readonly hash: string | null;
  /** Whether it equals the password that was sent now. */
  readonly isSame: boolean;
}

/** Takes the same time for every address, with or without an account. */
async function comparePendingPassword(context: AuthContext, email: string, password: string): Promise<PendingPassword> {
  const user = await findUserByEmail(context.pool, email);
  const hash = user === null || user.email_confirmed_at !== null ? null : user.password_hash;
  const { isMatch } = await context.hasher.verify(hash, password);
  return { hash, isSame: isMatch };
}
