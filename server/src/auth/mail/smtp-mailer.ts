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
const TIMEOUT_MS = 5_000;

export interface SmtpMailerOptions {
  readonly url: string;
  readonly from: string;
  readonly observer: Observer;
  readonly clock: Clock;
  /** For each step of the SMTP dialogue. */
  readonly timeoutMs?: number;
}

/** A pool of connections to a mail server. */
export class SmtpMailer implements Mailer {
  readonly #transport: ReturnType<typeof openTransport>;
  readonly #options: SmtpMailerOptions;
  readonly #pending = new Set<Promise<unknown>>();
  #readyUntil = 0;
  #checking: Promise<void> | null = null;

  constructor(options: SmtpMailerOptions) {
    this.#options = options;
    this.#transport = openTransport(options);
  }

  async send(mail: Mail): Promise<void> {
    this.#requireRoom();
    const handing = this.#hand(mail);
    this.#pending.add(handing);
    try {
      await handing;
    } catch (error) {
      throw unavailable(error);
    } finally {
      this.#pending.delete(handing);
    }
  }

  async checkReady(): Promise<void> {
    this.#requireRoom();
    if (this.#options.clock.now().getTime() < this.#readyUntil) return;
    // Concurrent callers share one check.
    this.#checking ??= this.#check().finally(() => {
      this.#checking = null;
    });
    await this.#checking;
  }

  async close(): Promise<void> {
    await Promise.race([Promise.allSettled(this.#pending), wait(CLOSE_WITHIN_MS, undefined, { ref: false })]);
    this.#transport.close();
  }

  #requireRoom(): void {
    if (this.#pending.size >= MAX_PENDING) throw unavailable(new Error("too many mails are waiting"));
  }

  async #hand(mail: Mail): Promise<void> {
    const { from, observer } = this.#options;
    const message = buildMessage(mail, from);
    for (let attempt = 0; ; attempt += 1) {
      try {
        await this.#transport.sendMail(message);
        this.#noteReady();
        return;
      } catch (error) {
        this.#readyUntil = 0;
        const delayMs = RETRY_DELAYS_MS[attempt];
        if (delayMs === undefined || !isRetryable(error)) throw error;
        observer.note("mail.retried", { kind: mail.kind, attempt: attempt + 1, error });
        await wait(delayMs);
      }
    }
  }

  async #check(): Promise<void> {
    try {
      await this.#transport.verify();
      this.#noteReady();
    } catch (error) {
      this.#options.observer.note("mail.unreachable", { error });
      throw unavailable(error);
    }
  }

  #noteReady(): void {
    this.#readyUntil = this.#options.clock.now().getTime() + READY_FOR_MS;
  }
}

function openTransport({ url, timeoutMs = TIMEOUT_MS }: SmtpMailerOptions) {
  return createTransport({
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
}

function buildMessage(mail: Mail, from: string) {
  const { subject, text, html } = renderMail(mail);
  const domain = /@([a-z0-9.-]+)/i.exec(from)?.[1] ?? "localhost";
  return {
    from,
    to: { name: "", address: mail.to },
    subject,
    text,
    html,
    ...(mail.outbox !== undefined && { messageId: `<${mail.outbox.id}@${domain}>` }),
    headers: { "Auto-Submitted": "auto-generated", "X-Auto-Response-Suppress": "All" },
  };
}

function unavailable(cause: unknown): AppError {
  return new AppError("SERVICE_UNAVAILABLE", "Mail cannot be sent at the moment. Try again shortly.", {
    retryAfterSeconds: RETRY_AFTER_SECONDS,
    cause,
  });
}
