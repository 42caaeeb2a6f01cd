import type { AuthContext } from "../auth-context.ts";
import { deleteOneTimeOfKind } from "../sql/one-time-tokens.ts";
import { findUserByEmail, updateUser } from "../sql/users.ts";
import type { UserRow } from "../users/user-row.ts";
import type { MailingClient } from "./in-mail-transaction.ts";
import { issueOneTime } from "./issue-one-time.ts";
import { siteUrlOf } from "./links.ts";
import { claimMailSlot } from "./mail-throttle.ts";
import { type LinkMail, postLink } from "./post-mail.ts";

type MailFlow = Omit<LinkMail, "kind" | "to">;

/** The functions below claim a throttle slot, issue the token, record the time and post the mail. */
export async function sendLink(
  context: AuthContext,
  client: MailingClient,
  flow: MailFlow & { readonly kind: "confirmation" | "invite" },
): Promise<UserRow> {
  const to = emailOf(flow.user);
  await claimMailSlot(context, client, { address: to, slot: flow.kind });
  return postLink(context, client, { ...flow, to });
}

export async function sendReauthentication(context: AuthContext, client: MailingClient, user: UserRow): Promise<void> {
  const kind = "reauthentication";
  const to = emailOf(user);
  await claimMailSlot(context, client, { address: to, slot: kind });
  const { code } = await issueOneTime(client, context, { user, kind, relatesTo: to });
  client.post({ to, kind, values: { code, siteUrl: siteUrlOf(context) } });
  await updateUser(client, user.id, { reauthentication_sent_at: context.clock.now() });
}

/** Notifies the owner of an address that somebody else signs up with. Shares the throttle of confirmations. */
export async function sendAddressTaken(context: AuthContext, client: MailingClient, email: string): Promise<void> {
  await claimMailSlot(context, client, { address: email, slot: "confirmation" });
  postTakenNotice(context, client, email);
}

interface EmailChangeFlow extends MailFlow {
  /** Normalized. */
  readonly newEmail: string;
}

/** The response does not reveal whether the new address is taken; the owner of the address gets a mail. */
export async function sendEmailChange(
  context: AuthContext,
  client: MailingClient,
  flow: EmailChangeFlow,
): Promise<UserRow> {
  await claimMailSlot(context, client, { address: `user:${flow.user.id}`, slot: "email_change" });
  await claimMailSlot(context, client, { address: flow.newEmail, slot: "email_change" });
  return postEmailChange(context, client, flow);
}

/** Starts an e-mail change again: earlier confirmations no longer count. */
export async function postEmailChange(
  context: AuthContext,
  client: MailingClient,
  flow: EmailChangeFlow,
): Promise<UserRow> {
  const { newEmail } = flow;
  const isTaken = (await findUserByEmail(client, newEmail)) !== null;
  const user = await updateUser(client, flow.user.id, {
    new_email: newEmail,
    email_change_confirmations: 0,
    email_change_sent_at: context.clock.now(),
  });
  if (needsBothConfirmations(context, user)) {
    await postLink(context, client, { ...flow, user, kind: "email_change_current", to: emailOf(user) });
  }
  if (isTaken) {
    await deleteOneTimeOfKind(client, user.id, "email_change_new");
    postTakenNotice(context, client, newEmail);
    return user;
  }
  return postLink(context, client, { ...flow, user, kind: "email_change_new", to: newEmail });
}

/** An anonymous user has no current address that could confirm. */
export function needsBothConfirmations({ settings }: Pick<AuthContext, "settings">, user: UserRow): boolean {
  return settings.authSecureEmailChange && user.email !== null;
}

function postTakenNotice(context: AuthContext, client: MailingClient, to: string): void {
  client.post({ to, kind: "address_taken", values: { siteUrl: siteUrlOf(context) } });
}

function emailOf(user: UserRow): string {
  if (user.email === null) throw new Error("a user without an e-mail address was about to get mail");
  return user.email;
}
