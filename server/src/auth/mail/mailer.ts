import { join } from "node:path";
import type { Settings } from "../../config/index.ts";
import type { Observer } from "../../observe/index.ts";
import type { Clock } from "../../time/index.ts";
import { createFolderMailer } from "./folder-mailer.ts";
import type { Mailer } from "./mail.ts";

interface MailerOptions {
  readonly settings: Pick<Settings, "dataDir" | "mailFrom" | "smtpUrl">;
  readonly observer: Observer;
  readonly clock: Clock;
}

/** Sends over SMTP where a server is configured; otherwise writes every mail to a file. */
export async function createMailer({ settings, observer, clock }: MailerOptions): Promise<Mailer> {
  const { dataDir, mailFrom: from, smtpUrl } = settings;
  if (smtpUrl === null) return createFolderMailer({ folder: join(dataDir, "mail"), from, observer, clock });
  // Imported on demand: it takes a tenth of the start-up time.
  const { SmtpMailer } = await import("./smtp-mailer.ts");
  return new SmtpMailer({ url: smtpUrl, from, observer, clock });
}
