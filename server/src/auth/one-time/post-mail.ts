import type { AuthContext } from "../auth-context.ts";
import type { AuthCall } from "../call.ts";
import { type UserChanges, updateUser } from "../sql/users.ts";
import type { UserRow } from "../users/user-row.ts";
import type { MailingClient } from "./in-mail-transaction.ts";
import { issueOneTime } from "./issue-one-time.ts";
import { buildLink, chooseRedirect, siteUrlOf } from "./links.ts";
import type { LinkKind, OneTimeKind } from "./one-time-kind.ts";
import { readPkce } from "./pkce.ts";

export interface LinkMail {
  readonly user: UserRow;
  readonly kind: LinkKind;
  readonly to: string;
  readonly call: Pick<AuthCall, "body">;
  readonly redirectTo?: string | undefined;
}

/** Issues a link with its code and adds the mail to the transaction, without the throttle. */
export async function postLink(context: AuthContext, client: MailingClient, mail: LinkMail): Promise<UserRow> {
  const { user, kind, to, call } = mail;
  const redirectTo = chooseRedirect(context, mail.redirectTo);
  const { code, tokenHash } = await issueOneTime(client, context, {
    user,
    kind,
    relatesTo: to,
    pkce: readPkce(call),
    redirectTo,
  });
  const link = buildLink(context, { kind, tokenHash, redirectTo });
  const newEmail = user.new_email;
  client.post({
    to,
    kind,
    values: { link, code, siteUrl: siteUrlOf(context), ...(newEmail !== null && { newEmail }) },
  });
  return updateUser(client, user.id, timesOf(kind, context.clock.now()));
}

export interface CodeMail {
  readonly user: UserRow;
  readonly kind: "reauthentication";
  readonly to: string;
}

export async function postCode(
  context: AuthContext,
  client: MailingClient,
  { user, kind, to }: CodeMail,
): Promise<UserRow> {
  const { code } = await issueOneTime(client, context, { user, kind, relatesTo: to });
  client.post({ to, kind, values: { code, siteUrl: siteUrlOf(context) } });
  return updateUser(client, user.id, timesOf(kind, context.clock.now()));
}

/** A magic link shares the column of recoveries, as in GoTrue. */
function timesOf(kind: OneTimeKind, now: Date): UserChanges {
  switch (kind) {
    case "confirmation":
    case "invite":
      return { confirmation_sent_at: now };
    case "magiclink":
    case "recovery":
      return { recovery_sent_at: now };
    case "email_change_current":
    case "email_change_new":
      return { email_change_sent_at: now };
    case "reauthentication":
      return { reauthentication_sent_at: now };
  }
}
