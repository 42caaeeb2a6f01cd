import { join } from "node:path";
import type { Settings } from "../../config/index.ts";
import type { Observer } from "../../observe/index.ts";
import type { Clock } from "../../time/index.ts";
import { createFolderMailer } from "./folder-mailer.ts";
import type { Mailer } from "./mail.ts";

export type { Mail, Mailer, MailKind } from "./mail.ts";

export interface MailerOptions {
  readonly settings: Pick<Settings, "dataDir" | "mailFrom" | "smtpUrl">;
  readonly observer: Observer;
  readonly clock: Clock;
}

/** Over SMTP where a server is configured; else every mail becomes a file for the developer to read. */
export async function createMailer({ settings, observer, clock }: MailerOptions): Promise<Mailer> {
  const { dataDir, mailFrom: from, smtpUrl } = settings;
  if (smtpUrl === null) return createFolderMailer({ folder: join(dataDir, "mail"), from, observer, clock });
  // A tenth of the time that a start takes, for those who have no use for it.
  const { createSmtpMailer } = await import("./smtp-mailer.ts");
  return createSmtpMailer({ url: smtpUrl, from, observer, clock });
}
