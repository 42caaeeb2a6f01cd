import { AppError } from "../../errors/index.ts";
import { isHookFailure } from "../hooks/hook.ts";
import {
  type Approval,
  approveUnlessKnown,
  createEmailUser,
  isAccountChanged,
  isEmailTaken,
} from "../users/create-user.ts";
import type { AuthContext } from "../auth-context.ts";
import { collectMails, type MailingClient } from "../one-time/in-mail-transaction.ts";
import { MAIL_JOB, type MailJob } from "../one-time/mail-jobs.ts";
import type { LinkKind } from "../one-time/one-time-kind.ts";
import { postEmailChange, postLink, postTakenNotice } from "../one-time/send-mail-flow.ts";
import { lockUser, lockUserByEmail } from "../sql/users.ts";
import type { UserRow } from "../sql/user-row.ts";
import type { ComposeContext, ComposeMail } from "./compose-mail.ts";

/** Looks up the account of a requested mail and issues the code. A repeated attempt replaces the code of the one before. */
export const composeAccountMail: ComposeMail = async (context, { to, data }) => {
  const job = MAIL_JOB.parse(data);
  const compose = async () => {
    const approval = await approveRecipient(context, to, job);
    return collectMails(context, (client) => postMails(context, client, { to, job, approval }));
  };
  return compose().catch((error: unknown) => {
    // A concurrent request has created or deleted the account.
    if (isEmailTaken(error) || isAccountChanged(error)) return compose();
    throw error;
  });
};

interface Posting {
  readonly to: string;
  readonly job: MailJob;
  /** Null means that no account is created. */
  readonly approval: Approval | null;
}

async function postMails(
  context: ComposeContext,
  client: MailingClient,
  { to, job, approval }: Posting,
): Promise<void> {
  if (job.flow === "address_taken") return postTakenNotice(context, client, to);
  const user = await findRecipient(context, client, { to, job, approval });
  if (user === null) return;
  const { redirectTo, pkce } = job;
  const post = (kind: LinkKind) => postLink(context, client, { user, kind, to, redirectTo, pkce });
  switch (job.flow) {
    case "recovery":
      await post("recovery");
      return;
    case "otp":
      await post(kindFor(user));
      return;
    case "signup":
      if (user.email_confirmed_at === null) await post("confirmation");
      else if (!job.isNew) postTakenNotice(context, client, to);
      return;
    case "resend_signup":
      if (user.email_confirmed_at === null) await post("confirmation");
      return;
    case "resend_email_change":
      if (user.new_email === null) return;
      await postEmailChange(context, client, { user, newEmail: user.new_email, redirectTo, pkce });
      return;
    case "email_change":
      // The user may have asked for another address since.
      if (user.new_email === to) await postEmailChange(context, client, { user, newEmail: to, redirectTo, pkce });
  }
}

async function findRecipient(
  context: Pick<AuthContext, "clock">,
  client: MailingClient,
  { to, job, approval }: Posting,
): Promise<UserRow | null> {
  if (job.flow === "email_change") return lockUser(client, job.userId);
  const known = await lockUserByEmail(client, to);
  if (known !== null) return known;
  if (job.flow !== "otp" || approval === null) return null;
  const { userMetadata } = job;
  return createEmailUser(context, client, {
    approval,
    email: to,
    isConfirmed: false,
    passwordHash: null,
    userMetadata,
  });
}

/** A refusal is as if sign-ups were disabled: the request was answered before. A hook that fails is asked again with the next attempt. */
async function approveRecipient(context: ComposeContext, to: string, job: MailJob): Promise<Approval | null> {
  if (job.flow !== "otp" || !job.mayCreate) return null;
  const { userMetadata: data, address } = job;
  return approveUnlessKnown(context, { email: to, data, address }).catch((error: unknown) => {
    if (isHookFailure(error) || !(error instanceof AppError)) throw error;
    return null;
  });
}

/** The first code confirms a new account, unless it has a password that somebody else can have set. */
function kindFor(user: UserRow): LinkKind {
  return user.email_confirmed_at === null && user.password_hash === null ? "confirmation" : "magiclink";
}
