import type { AuthContext } from "../auth-context.ts";
import type { AuthCall } from "../call.ts";
import { deleteOneTimeOfKind } from "../sql/one-time-tokens.ts";
import { findUserByEmail, updateUser } from "../sql/users.ts";
import type { UserRow } from "../users/user-row.ts";
import type { MailingClient } from "./in-mail-transaction.ts";
import { siteUrlOf } from "./links.ts";
import { claimMailSlot } from "./mail-throttle.ts";
import { postCode, postLink } from "./post-mail.ts";

export interface MailFlow {
  readonly user: UserRow;
  /** The body can start a PKCE flow. */
  readonly call: Pick<AuthCall, "body">;
  /** As requested; the allow list decides where the link leads. */
  readonly redirectTo?: string | undefined;
}

/**
 * The functions below claim a throttle slot, issue the token, record the time on the user and add the mail to the
 * transaction.
 */
export async function sendConfirmation(context: AuthContext, client: MailingClient, flow: MailFlow): Promise<UserRow> {
  await claimMailSlot(context, client, { address: emailOf(flow.user), slot: "confirmation" });
  return postLink(context, client, { ...flow, kind: "confirmation", to: emailOf(flow.user) });
}

export async function sendInvite(context: AuthContext, client: MailingClient, flow: MailFlow): Promise<UserRow> {
  await claimMailSlot(context, client, { address: emailOf(flow.user), slot: "invite" });
  return postLink(context, client, { ...flow, kind: "invite", to: emailOf(flow.user) });
}

export async function sendReauthentication(
  context: AuthContext,
  client: MailingClient,
  user: UserRow,
): Promise<UserRow> {
  await claimMailSlot(context, client, { address: emailOf(user), slot: "reauthentication" });
  return postCode(context, client, { user, kind: "reauthentication", to: emailOf(user) });
}

/** Notifies the owner of an address that somebody else signs up with. Shares the throttle of confirmations. */
export async function sendAddressTaken(context: AuthContext, client: MailingClient, email: string): Promise<void> {
  await claimMailSlot(context, client, { address: email, slot: "confirmation" });
  postTakenNotice(context, client, email);
}

export interface EmailChangeFlow extends MailFlow {
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
