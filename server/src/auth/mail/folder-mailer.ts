import { randomBytes } from "node:crypto";
import { mkdir, readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { replaceFile } from "../../crypto/index.ts";
import { AppError } from "../../errors/index.ts";
import type { Observer } from "../../observe/index.ts";
import type { Clock } from "../../time/index.ts";
import type { Mail, Mailer } from "./mail.ts";
import { renderMail } from "./render-mail.ts";

const KEPT_FILES = 1_000;
const ENDING = ".eml";

interface FolderMailerOptions {
  readonly folder: string;
  readonly from: string;
  readonly observer: Observer;
  readonly clock: Clock;
  readonly keptFiles?: number;
}

/** Without a mail server: writes each mail to a file. The log names the file, and not the link and code in it. */
export function createFolderMailer(options: FolderMailerOptions): Mailer {
  const { folder, observer, clock, keptFiles = KEPT_FILES } = options;
  return {
    async send(mail) {
      const file = join(folder, nameFile(mail, clock.now()));
      try {
        await mkdir(folder, { recursive: true, mode: 0o700 });
        await replaceFile(file, renderFile(mail, options));
        await removeOldest(folder, keptFiles);
      } catch (cause) {
        throw new AppError("SERVICE_UNAVAILABLE", "The mail could not be written. Try again shortly.", { cause });
      }
      observer.note("mail.written", { to: mail.to, kind: mail.kind, file });
    },
    async checkReady() {},
    async close() {},
  };
}

/** File names sort by time. A mail of the outbox keeps its name when it is written again. */
function nameFile({ kind, outbox }: Mail, now: Date): string {
  const time = (outbox?.createdAt ?? now).toISOString().replace(/[-:.]/g, "");
  const suffix = outbox?.id.replaceAll("-", "").slice(-8) ?? randomBytes(4).toString("hex");
  return `${time}-${kind}-${suffix}${ENDING}`;
}

/** Not encoded, so that it is readable in an editor and opens in a mail program. */
function renderFile(mail: Mail, { from, clock }: FolderMailerOptions): string {
  const { subject, text, html } = renderMail(mail);
  const boundary = `part-${randomBytes(12).toString("hex")}`;
  const part = (type: string, content: string): string =>
    `--${boundary}\nContent-Type: ${type}; charset=utf-8\nContent-Transfer-Encoding: 8bit\n\n${content}\n`;
  return [
    `From: ${from}`,
    `To: ${mail.to}`,
    `Subject: ${subject}`,
    `Date: ${clock.now().toUTCString().replace("GMT", "+0000")}`,
    "MIME-Version: 1.0",
    `Content-Type: multipart/alternative; boundary="${boundary}"`,
    "",
    `${part("text/plain", text)}${part("text/html", html)}--${boundary}--`,
    "",
  ].join("\n");
}

async function removeOldest(folder: string, keptFiles: number): Promise<void> {
  const names = (await readdir(folder)).filter((name) => name.endsWith(ENDING) && !name.startsWith("."));
  const surplus = names.toSorted().slice(0, Math.max(0, names.length - keptFiles));
  for (const name of surplus) await rm(join(folder, name), { force: true });
}
