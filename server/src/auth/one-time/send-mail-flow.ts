import type { AuthContext } from "../auth-context.ts";
import type { Queryable } from "../../db/index.ts";
import { deleteOneTimeOfKind } from "../sql/one-time-tokens.ts";
import { findUserByEmail, updateUser, type UserChanges } from "../sql/users.ts";
import type { UserRow } from "../sql/user-row.ts";
import { claimMailSlot } from "./claim-mail-slot.ts";
import type { MailingClient } from "./in-mail-transaction.ts";
import { issueOneTime } from "./issue-one-time.ts";
import { buildLink, siteUrlOf } from "./links.ts";
import type { LinkKind } from "./one-time-kind.ts";
import type { PkceChallenge } from "./pkce.ts";

interface LinkMail {
  readonly user: UserRow;
  readonly kind: LinkKind;
  readonly to: string;
  readonly pkce: PkceChallenge | null;
  /** Returned by `chooseRedirect`. */
  readonly redirectTo: string;
}

type LinkContext = Pick<AuthContext, "baseUrl" | "clock" | "masterKey" | "settings">;

/** Issues a link with its code and adds the mail to the transaction, without the throttle. */
export async function postLink(context: LinkContext, client: MailingClient, mail: LinkMail): Promise<UserRow> {
  const { user, kind, to, pkce, redirectTo } = mail;
  const { code, tokenHash } = await issueOneTime(client, context, {
    user,
    kind,
    relatesTo: to,
    pkce,
    redirectTo,
  });
  const link = buildLink(context, { kind, tokenHash, redirectTo });
  const newEmail = user.new_email;
  client.post({
    to,
    kind,
    token: { userId: user.id, hash: tokenHash, redirectTo },
    values: { link, code, siteUrl: siteUrlOf(context), ...(newEmail !== null && { newEmail }) },
  });
  return updateUser(client, user.id, { [SENT_AT_COLUMNS[kind]]: context.clock.now() });
}

/** The columns that record when a mail was sent. A magic link shares the column of recoveries, as in GoTrue. */
const SENT_AT_COLUMNS = {
  confirmation: "confirmation_sent_at",
  invite: "confirmation_sent_at",
  magiclink: "recovery_sent_at",
  recovery: "recovery_sent_at",
  email_change_current: "email_change_sent_at",
  email_change_new: "email_change_sent_at",
} as const satisfies Record<LinkKind, keyof UserChanges>;

type MailFlow = Omit<LinkMail, "kind" | "to">;

/** This function and the next one claim a throttle slot, issue the token, record the time and post the mail. */
export async function sendInvitation(context: AuthContext, client: MailingClient, flow: MailFlow): Promise<UserRow> {
  const to = emailOf(flow.user);
  const kind = "invite";
  await claimMailSlot(context, client, { address: to, slot: kind });
  return postLink(context, client, { ...flow, kind, to });
}

export async function sendReauthentication(context: AuthContext, client: MailingClient, user: UserRow): Promise<void> {
  const kind = "reauthentication";
  const to = emailOf(user);
  await claimMailSlot(context, client, { address: to, slot: kind });
  const { code } = await issueOneTime(client, context, { user, kind, relatesTo: to });
  const siteUrl = siteUrlOf(context);
  const token = { userId: user.id, hash: "", redirectTo: siteUrl };
  client.post({ to, kind, token, values: { code, siteUrl } });
  await updateUser(client, user.id, { reauthentication_sent_at: context.clock.now() });
}

interface EmailChangeFlow extends MailFlow {
  /** Normalized. */
  readonly newEmail: string;
}

/** Starts an e-mail change again: earlier confirmations no longer count. */
export function beginEmailChange(
  { clock }: Pick<AuthContext, "clock">,
  client: Queryable,
  { user, newEmail }: Pick<EmailChangeFlow, "user" | "newEmail">,
): Promise<UserRow> {
  return updateUser(client, user.id, {
    new_email: newEmail,
    email_change_confirmations: 0,
    email_change_sent_at: clock.now(),
  });
}

/** Mails the links of an e-mail change. When the new address is taken, its owner gets a notice instead. */
export async function postEmailChange(
  context: LinkContext,
  client: MailingClient,
  flow: EmailChangeFlow,
): Promise<void> {
  const { newEmail } = flow;
  const isTaken = (await findUserByEmail(client, newEmail)) !== null;
  const user = await beginEmailChange(context, client, flow);
  if (needsBothConfirmations(context, user)) {
    await postLink(context, client, { ...flow, user, kind: "email_change_current", to: emailOf(user) });
  }
  if (isTaken) {
    await deleteOneTimeOfKind(client, user.id, "email_change_new");
    return postTakenNotice(context, client, newEmail);
  }
  await postLink(context, client, { ...flow, user, kind: "email_change_new", to: newEmail });
}

/** An anonymous user has no current address that could confirm. */
export function needsBothConfirmations({ settings }: Pick<AuthContext, "settings">, user: UserRow): boolean {
  return settings.authSecureEmailChange && user.email !== null;
}

/** Notifies the owner of an address that somebody else wants to use it. */
export function postTakenNotice(context: LinkContext, client: MailingClient, to: string): void {
  client.post({ to, kind: "address_taken", values: { siteUrl: siteUrlOf(context) } });
}

function emailOf(user: UserRow): string {
  if (user.email === null) throw new Error("a user without an e-mail address was about to get mail");
  return user.email;
}
