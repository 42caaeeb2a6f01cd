import type { AuthContext } from "../auth-context.ts";
import type { Queryable } from "../../db/index.ts";
import { deleteOneTimeOfKind } from "../sql/one-time-tokens.ts";
import { findUserByEmail, updateUser } from "../sql/users.ts";
import type { UserRow } from "../sql/user-row.ts";
import type { MailingClient } from "./in-mail-transaction.ts";
import { issueOneTime } from "./issue-one-time.ts";
import { siteUrlOf } from "./links.ts";
import { claimMailSlot } from "./claim-mail-slot.ts";
import { type LinkContext, type LinkMail, postLink } from "./post-link.ts";

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
