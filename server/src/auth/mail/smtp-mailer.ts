import { setTimeout as wait } from "node:timers/promises";
import { createTransport } from "nodemailer";
import { AppError } from "../../errors/index.ts";
import type { Observer } from "../../observe/index.ts";
import type { Clock } from "../../time/index.ts";
import type { Mail, Mailer } from "./mail.ts";
import { renderMail } from "./render-mail.ts";
import { decideTlsRequired, isRetryable } from "./smtp-policy.ts";

const RETRY_DELAYS_MS = [200, 1_000];
const CONNECTIONS = 5;
/** Mails that wait for a connection. Beyond this number, sending fails at once. */
const MAX_PENDING = 1_000;
/** How long a successful check of the server remains valid. */
const READY_FOR_MS = 10_000;
const CLOSE_WITHIN_MS = 5_000;
const RETRY_AFTER_SECONDS = 5;

export interface SmtpMailerOptions {
  readonly url: string;
  readonly from: string;
  readonly observer: Observer;
  readonly clock: Clock;
  /** For each step of the SMTP dialogue. */
  readonly timeoutMs?: number;
}

export function createSmtpMailer({ url, from, observer, clock, timeoutMs = 5_000 }: SmtpMailerOptions): Mailer {
  const transport = createTransport({
    // The query of the URL (requireTLS, tls.…) takes precedence over these options.
    url,
    pool: true,
    maxConnections: CONNECTIONS,
    // Retries are decided in this file only.
    maxRequeues: 0,
    requireTLS: decideTlsRequired(url),
    dnsTimeout: timeoutMs,
    connectionTimeout: timeoutMs,
    greetingTimeout: timeoutMs,
    socketTimeout: timeoutMs,
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  const domain = /@([a-z0-9.-]+)/i.exec(from)?.[1] ?? "localhost";
  const pending = new Set<Promise<unknown>>();
  let readyUntil = 0;
  let checking: Promise<void> | null = null;

  const hand = async (mail: Mail): Promise<void> => {
    const { subject, text, html } = renderMail(mail);
    for (let attempt = 0; ; attempt += 1) {
      try {
        await transport.sendMail({
          from,
          to: { name: "", address: mail.to },
          subject,
          text,
          html,
          ...(mail.outbox !== undefined && { messageId: `<${mail.outbox.id}@${domain}>` }),
          headers: { "Auto-Submitted": "auto-generated", "X-Auto-Response-Suppress": "All" },
        });
        readyUntil = clock.now().getTime() + READY_FOR_MS;
        return;
      } catch (error) {
        readyUntil = 0;
        const delayMs = RETRY_DELAYS_MS[attempt];
        if (delayMs === undefined || !isRetryable(error)) throw error;
        observer.note("mail.retried", { kind: mail.kind, attempt: attempt + 1, error });
        await wait(delayMs);
      }
    }
  };

  const check = async (): Promise<void> => {
    try {
      await transport.verify();
      readyUntil = clock.now().getTime() + READY_FOR_MS;
    } catch (error) {
      observer.note("mail.unreachable", { error });
      throw unavailable(error);
    }
  };

  return {
    async send(mail) {
      if (pending.size >= MAX_PENDING) throw unavailable(new Error("too many mails are waiting"));
      const handing = hand(mail);
      pending.add(handing);
      try {
        await handing;
      } catch (error) {
        throw unavailable(error);
      } finally {
        pending.delete(handing);
      }
    },
    async checkReady() {
      if (pending.size >= MAX_PENDING) throw unavailable(new Error("too many mails are waiting"));
      if (clock.now().getTime() < readyUntil) return;
      // Concurrent callers share one check.
      checking ??= check().finally(() => {
        checking = null;
      });
      await checking;
    },
    async close() {
      await Promise.race([Promise.allSettled(pending), wait(CLOSE_WITHIN_MS, undefined, { ref: false })]);
      transport.close();
    },
  };
}

function unavailable(cause: unknown): AppError {
  return new AppError("SERVICE_UNAVAILABLE", "Mail cannot be sent at the moment. Try again shortly.", {
    retryAfterSeconds: RETRY_AFTER_SECONDS,
    cause,
  });
}
