export const MAIL_KINDS = [
  "confirmation",
  "magiclink",
  "recovery",
  "invite",
  "email_change_current",
  "email_change_new",
  "reauthentication",
  "address_taken",
  "webhook_disabled",
  "swarm_invitation",
] as const;

export type MailKind = (typeof MAIL_KINDS)[number];

export interface Mail {
  readonly to: string;
  readonly kind: MailKind;
  readonly values: {
    readonly link?: string;
    readonly code?: string;
    readonly newEmail?: string;
    readonly swarmName?: string;
    readonly inviterName?: string;
    readonly siteUrl: string;
    /** Webhooks that the service has switched off. */
    readonly switchedOff?: readonly SwitchedOffWebhook[];
  };
  /** For a mail of the outbox, which may be handed over again after a crash: the second time it replaces the first. */
  readonly outbox?: { readonly id: string; readonly createdAt: Date };
}

export interface SwitchedOffWebhook {
  readonly name: string;
  /** As in `webhooks.disabled_reason`. */
  readonly reason: string;
  readonly at: Date;
}

export interface Mailer {
  /** Settles when the mail is handed over; a mail that cannot be is an error, never a silence. */
  send(mail: Mail): Promise<void>;
  /**
   * Throws when mail cannot be sent at the moment. Asked before an address is looked up, so that a mail server that is
   * away shows in the answer about any address alike.
   */
  checkReady(): Promise<void>;
  /** Waits for mails on their way. */
  close(): Promise<void>;
}
