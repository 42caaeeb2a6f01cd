import type { AuthContext } from "../auth-context.ts";
import type { Hook } from "../hooks/hook.ts";
import type { Mail, Mailer } from "../mail/mail.ts";
import { renderMail } from "../mail/render-mail.ts";
import { isLinkKind, linkTypeOf } from "../one-time/one-time-kind.ts";
import { findUserByEmail, findUserById, selectWholeUser } from "../sql/users.ts";
import { renderUser } from "../users/render-user.ts";

interface HookMailerOptions extends Pick<AuthContext, "pool"> {
  readonly hook: Hook;
  baseUrl(): string;
  /** Sends what the hook does not, where its policy is to go on. */
  readonly fallback: Mailer;
}

/** Gives each mail to the hook. A mail that the hook refuses or fails to take counts as not sent. */
export function createHookMailer({ hook, pool, baseUrl, fallback }: HookMailerOptions): Mailer {
  return {
    async send(mail) {
      const { to, token } = mail;
      const row = await (token === undefined ? findUserByEmail(pool, to) : findUserById(pool, token.userId));
      const user = row === null ? {} : renderUser(await selectWholeUser(pool, row));
      const event = {
        // The recipient, whichever address of the account the hook sends to.
        user: { ...user, email: to, ...(row?.new_email && { new_email: to }) },
        email_data: describeMail(mail, { baseUrl: baseUrl(), oldEmail: row?.email ?? "" }),
      };
      if ((await hook.ask({ event, read: () => true })) === null) await fallback.send(mail);
    },
    checkReady: async () => {},
    close: () => fallback.close(),
  };
}

/** The members of GoTrue, with one token for each mail, and then the mail as the service would send it. */
function describeMail(mail: Mail, { baseUrl, oldEmail }: { readonly baseUrl: string; readonly oldEmail: string }) {
  const { kind, token, values, outbox } = mail;
  return {
    token: values.code ?? "",
    token_hash: token?.hash ?? "",
    redirect_to: token?.redirectTo ?? values.siteUrl,
    email_action_type: isLinkKind(kind) ? linkTypeOf(kind) : kind,
    site_url: `${baseUrl}/auth/v1`,
    token_new: "",
    token_hash_new: "",
    old_email: oldEmail,
    ...(outbox !== undefined && { mail_id: outbox.id }),
    ...renderMail(mail),
  };
}
