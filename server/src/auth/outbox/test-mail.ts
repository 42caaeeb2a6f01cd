import { join } from "node:path";
import type { Settings } from "../../config/index.ts";
import { AppError } from "../../errors/index.ts";
import type { AuthContext } from "../auth-context.ts";
import { siteUrlOf } from "../one-time/links.ts";
import { findUserById } from "../sql/users.ts";
import { sendsMails } from "../users/account-rules.ts";

/** How the service sends mails, without the address and password of its server. */
export interface MailTransport {
  readonly via: "smtp" | "hook" | "files";
  readonly from: string;
  /** Where the mails are; null unless they are files. */
  readonly folder: string | null;
}

export interface MailTest {
  readonly is_ok: boolean;
  readonly to: string;
  readonly duration_ms: number;
  /** Why the mail could not be sent; null when it was. */
  readonly message: string | null;
  /** The status with which the mail server refused; null without one. */
  readonly smtp_status: number | null;
}

export function describeMailTransport(
  settings: Pick<Settings, "smtpUrl" | "mailFrom" | "dataDir" | "authHookSendEmailUri">,
): MailTransport {
  const isFiles = !sendsMails(settings);
  return {
    via: isFiles ? "files" : settings.authHookSendEmailUri === null ? "smtp" : "hook",
    from: settings.mailFrom,
    folder: isFiles ? join(settings.dataDir, "mail") : null,
  };
}

/** Sends a mail to the confirmed address of a user, and waits for the mail server. */
export async function sendTestMail(context: AuthContext, userId: string): Promise<MailTest> {
  const user = await findUserById(context.pool, userId);
  if (user === null || user.email === null || user.email_confirmed_at === null)
    throw new AppError("VALIDATION_ERROR", "The account has no confirmed e-mail address");
  const to = user.email;
  const startedAtMs = performance.now();
  const end = (fault: Pick<MailTest, "message" | "smtp_status"> | null): MailTest => ({
    is_ok: fault === null,
    to,
    duration_ms: Math.round(performance.now() - startedAtMs),
    message: fault?.message ?? null,
    smtp_status: fault?.smtp_status ?? null,
  });
  try {
    await context.mailer.send({ to, kind: "test", values: { siteUrl: siteUrlOf(context) } });
    return end(null);
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return end(explain(error.cause));
  }
}

/** By the codes of nodemailer. Its texts quote what the server said, which can be anything. */
const MESSAGES: Readonly<Record<string, string>> = {
  EAUTH: "The mail server rejected the user name or the password of SMTP_URL",
  ECONNECTION: "The mail server of SMTP_URL could not be reached",
  ECONNREFUSED: "The mail server of SMTP_URL could not be reached",
  EDNS: "The host name of SMTP_URL could not be resolved",
  EENVELOPE: "The mail server rejected the sender (MAIL_FROM) or the recipient",
  EMESSAGE: "The mail server rejected the mail",
  ESOCKET: "The connection to the mail server failed; check the host, the port and its certificate",
  ETIMEDOUT: "The mail server did not respond in time",
  ETLS: "The mail server does not support TLS, without which no password is sent",
};

function explain(cause: unknown): Pick<MailTest, "message" | "smtp_status"> {
  const read = (name: string): unknown => (cause instanceof Error ? Reflect.get(cause, name) : undefined);
  const status = read("responseCode");
  return {
    message: MESSAGES[String(read("code"))] ?? "The mail could not be sent; the log of the service has the reason",
    smtp_status: typeof status === "number" ? status : null,
  };
}
