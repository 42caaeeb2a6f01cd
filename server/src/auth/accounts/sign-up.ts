import { randomUUID } from "node:crypto";
import * as z from "zod";
import { inTransaction, type Queryable } from "../../db/index.ts";
import type { AuthContext } from "../auth-context.ts";
import { authError } from "../auth-error.ts";
import type { AuthCall, AuthResponse } from "../call.ts";
import { claimMailSlot } from "../one-time/claim-mail-slot.ts";
import { readLinkOptions, storeMailJob } from "../one-time/mail-jobs.ts";
import { readPkce } from "../one-time/pkce.ts";
import { parseAuthBody } from "../parse-call.ts";
import { checkNewPassword } from "../passwords/rules.ts";
import { issueSession, openSession } from "../sessions/issue-session.ts";
import type { SessionBody } from "../sessions/render-session.ts";
import { runTrial } from "../sql/query.ts";
import type { UserRow, WholeUser } from "../sql/user-row.ts";
import { clearPendingPassword, findUserByEmail, insertUser, selectWholeUser } from "../sql/users.ts";
import { isAutoconfirmed } from "../users/account-rules.ts";
import {
  type Approval,
  approvedId,
  approveNewUser,
  createEmailUser,
  isEmailTaken,
  withoutClaims,
} from "../users/create-user.ts";
import { parseEmail } from "../users/email-address.ts";
import { mergeMetadata, type Metadata } from "../users/metadata.ts";
import { type RenderedUser, renderUser } from "../users/render-user.ts";

const MAX_ATTEMPTS = 3;

export const SIGN_UP_BODY = z.object({
  email: z.string().default(""),
  phone: z.string().default(""),
  password: z.string().default(""),
  data: z.record(z.string(), z.unknown()).default({}),
});

export async function signUp(context: AuthContext, call: AuthCall): Promise<AuthResponse> {
  const body = parseAuthBody(SIGN_UP_BODY, call);
  if (!context.settings.authSignupEnabled) throw authError("signup_disabled");
  if (body.phone !== "") throw authError("phone_provider_disabled");
  const userMetadata = mergeMetadata({}, body.data);
  if (body.email === "" && body.password === "") return signUpAnonymously(context, call, userMetadata);

  const email = parseEmail(body.email);
  if (body.password === "") throw authError("validation_failed", "Signup requires a valid password");
  checkNewPassword(body.password, context.settings);
  readPkce(call);
  // Hashed whether or not the address is free, so that the response time reveals nothing.
  const passwordHash = await context.hasher.hash(body.password);
  // Asked for every address for the same reason, before any account is looked up.
  const approval = await approveNewUser(context, { email, data: userMetadata, address: call.address });
  const registration = { email, passwordHash, userMetadata, approval };
  return isAutoconfirmed(context.settings)
    ? { status: 200, body: await signUpConfirmed(context, call, registration) }
    : { status: 200, body: await signUpUnconfirmed(context, call, { ...registration, password: body.password }) };
}

async function signUpConfirmed(
  context: AuthContext,
  call: AuthCall,
  registration: ValidatedSignUp,
): Promise<SessionBody> {
  try {
    return await openSession(context, async (client) => {
      const user = await createEmailUser(context, client, { ...registration, isConfirmed: true });
      return issueSession(context, client, { user, method: "password", call, isNew: true });
    });
  } catch (error) {
    if (isEmailTaken(error)) throw authError("user_already_exists");
    throw error;
  }
}

/** Creates a user that is lost with its session unless an address is added. */
async function signUpAnonymously(context: AuthContext, call: AuthCall, userMetadata: Metadata): Promise<AuthResponse> {
  if (!context.settings.authAnonymousEnabled) throw authError("anonymous_provider_disabled");
  const columns = { app_metadata: {}, user_metadata: withoutClaims(userMetadata) };
  const asked = { email: null, data: columns.user_metadata, address: call.address };
  const approval = await approveNewUser(context, asked);
  const session = await openSession(context, async (client) => {
    const user = await insertUser(client, { ...columns, id: approvedId(approval), is_anonymous: true });
    return issueSession(context, client, { user, method: "anonymous", call, isNew: true });
  });
  return { status: 200, body: session };
}

/** A validated account that is not stored yet. */
interface ValidatedSignUp {
  readonly approval: Approval;
  readonly email: string;
  readonly passwordHash: string;
  readonly userMetadata: Metadata;
}

/**
 * Creates an account that becomes usable when its address is confirmed. When the address is taken, the response and the
 * statements before it are the same, so that only the owner of the mailbox learns the difference.
 */
async function signUpUnconfirmed(
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
