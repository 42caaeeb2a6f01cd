import type { AuthContext } from "../auth-context.ts";
import { type UserChanges, updateUser } from "../sql/users.ts";
import type { UserRow } from "../sql/user-row.ts";
import type { MailingClient } from "./in-mail-transaction.ts";
import { issueOneTime } from "./issue-one-time.ts";
import { buildLink, siteUrlOf } from "./links.ts";
import type { LinkKind } from "./one-time-kind.ts";
import type { PkceChallenge } from "./pkce.ts";

export interface LinkMail {
  readonly user: UserRow;
  readonly kind: LinkKind;
  readonly to: string;
  readonly pkce: PkceChallenge | null;
  /** Returned by `chooseRedirect`. */
  readonly redirectTo: string;
}

export type LinkContext = Pick<AuthContext, "baseUrl" | "clock" | "masterKey" | "settings">;

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
