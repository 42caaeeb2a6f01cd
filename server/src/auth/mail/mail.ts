export const MAIL_KINDS = [
  "confirmation",
  "magiclink",
  "recovery",
  "invite",
  "email_change_current",
  "email_change_new",
  "reauthentication",
  "address_taken",
  "account_changed",
  "webhook_disabled",
  "swarm_invitation",
  "test",
] as const;

export type MailKind = (typeof MAIL_KINDS)[number];

/** What happens to an account that its owner should know about. */
export const ACCOUNT_ACTIONS = [
  "password_changed",
  "email_changed",
  "factor_added",
  "factor_removed",
  "recovery_codes_generated",
  "recovery_codes_removed",
  "passkey_added",
  "passkey_removed",
  "api_key_created",
  "api_key_revoked",
  "program_connected",
  "program_disconnected",
  "signing_secret_created",
  "signing_secret_removed",
  "identity_linked",
  "identity_unlinked",
  "access_removed",
  "account_exported",
  "account_deleted",
] as const;

export type AccountAction = (typeof ACCOUNT_ACTIONS)[number];

export interface Mail {
  readonly to: string;
  readonly kind: MailKind;
  readonly values: {
    readonly link?: string;
    readonly code?: string;
    readonly newEmail?: string;
    readonly swarmName?: string;
    readonly inviterName?: string;
    /** When the invitation expires. */
    readonly expiresAt?: Date;
    readonly siteUrl: string;
    /** Webhooks that the service has disabled. */
    readonly switchedOff?: readonly SwitchedOffWebhook[];
    /** What has happened to the account. */
    readonly changes?: readonly AccountChangeNote[];
  };
  /** What a link or code is for, where the mail has one: for the hook that sends mails. */
  readonly token?: { readonly userId: string; readonly hash: string; readonly redirectTo: string };
  /** Identifies a mail of the outbox, so that a copy that is sent after a crash replaces the first one. */
  readonly outbox?: { readonly id: string; readonly createdAt: Date };
}

export interface AccountChangeNote {
  readonly action: AccountAction;
  readonly at: Date;
}

export interface SwitchedOffWebhook {
  readonly name: string;
  /** As in `webhooks.disabled_reason`. */
  readonly reason: string;
  readonly at: Date;
}

export interface Mailer {
  /** Resolves when the mail is handed over, and rejects when it cannot be. */
  send(mail: Mail): Promise<void>;
  /** Throws when mail cannot be sent. Called before an address is looked up, so that the error is the same. */
  checkReady(): Promise<void>;
  /** Waits for mails that are being sent. */
  close(): Promise<void>;
}
