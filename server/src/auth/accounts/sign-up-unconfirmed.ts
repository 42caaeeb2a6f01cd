import { randomUUID } from "node:crypto";
import { inTransaction, type Queryable } from "../../db/index.ts";
import type { AuthContext } from "../auth-context.ts";
import { authError } from "../auth-error.ts";
import type { AuthCall } from "../call.ts";
import { readLinkOptions, storeMailJob } from "../one-time/mail-jobs.ts";
import { claimMailSlot } from "../one-time/claim-mail-slot.ts";
import { runTrial } from "../sql/query.ts";
import { clearPendingPassword, findUserByEmail, selectWholeUser } from "../sql/users.ts";
import { type RenderedUser, renderUser } from "../users/render-user.ts";
import type { UserRow, WholeUser } from "../sql/user-row.ts";
import { type Approval, createEmailUser, isEmailTaken } from "../users/create-user.ts";
import type { Metadata } from "../users/metadata.ts";

/** A validated account that is not stored yet. */
export interface ValidatedSignUp {
  readonly approval: Approval;
  readonly email: string;
  readonly passwordHash: string;
  readonly userMetadata: Metadata;
}

const MAX_ATTEMPTS = 3;

/**
 * Creates an account that becomes usable when its address is confirmed. When the address is taken, the response and the
 * statements before it are the same, so that only the owner of the mailbox learns the difference.
 */
export async function signUpUnconfirmed(
  context: AuthContext,
  call: AuthCall,
  { password, ...registration }: ValidatedSignUp & { readonly password: string },
): Promise<RenderedUser> {
  const { email } = registration;
  const options = readLinkOptions(context, call);
  await context.mailer.checkReady();
  for (let attempt = 1; ; attempt += 1) {
    try {
      const pending = await comparePendingPassword(context, email, password);
      const user = await inTransaction(context.pool, async (client) => {
        await claimMailSlot(context, client, { address: email, slot: "confirmation" });
        const existing = await findUserByEmail(client, email);
        requireCompared(existing, pending);
        const created = await createOrImitate(context, client, registration, existing === null);
        await clearPendingPassword(client, email, pending.isSame ? null : pending.hash);
        const flow = { flow: "signup", isNew: existing === null } as const;
        await storeMailJob(client, { address: email, flow, options });
        return created;
      });
      context.mailWakeUp.trigger();
      return renderUser(user);
    } catch (error) {
      // A concurrent sign-up created the account.
      if (!isEmailTaken(error) || attempt === MAX_ATTEMPTS) throw error;
    }
  }
}

/**
 * When two sign-ups use one address, nobody knows which of them owns the mailbox, and confirming would admit the other
 * one. When their passwords differ, neither is kept, and the owner of the mailbox sets a new one. Throws when the password
 * was set after it was compared: the caller tries again.
 */
function requireCompared(existing: UserRow | null, pending: PendingPassword): void {
  if (existing === null || existing.email_confirmed_at !== null || existing.password_hash === null) return;
  if (existing.password_hash !== pending.hash) throw authError("email_exists");
}

/** When the address is taken, a user like it is created and rolled back, so that the responses never differ. */
async function createOrImitate(
  context: AuthContext,
  client: Queryable,
  registration: ValidatedSignUp,
  isFree: boolean,
): Promise<WholeUser> {
  const email = isFree ? registration.email : `${randomUUID()}@decoy.invalid`;
  const { row, identities, factors } = await runTrial(
    client,
    () => isFree,
    async () =>
      selectWholeUser(client, await createEmailUser(context, client, { ...registration, email, isConfirmed: false })),
  );
  return {
    row: {
      ...row,
      email: registration.email,
      confirmation_sent_at: context.clock.now(),
      user_metadata: { ...row.user_metadata, email: registration.email },
    },
    identities: identities.map((identity) => ({
      ...identity,
      email: registration.email,
      identity_data: { ...identity.identity_data, email: registration.email },
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
