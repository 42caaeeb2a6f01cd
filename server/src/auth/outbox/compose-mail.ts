import type { Mail } from "../mail/mailer.ts";
import type { AuthContext } from "../auth-context.ts";
import type { ClaimedMail } from "./sql/mail-outbox.ts";

export type ComposeContext = Pick<AuthContext, "pool" | "baseUrl" | "settings">;

export interface Addressed extends ClaimedMail {
  readonly to: string;
}

/** The mail as it should read now, or null when its reason has gone. */
export type ComposeMail = (context: ComposeContext, claimed: Addressed) => Promise<Omit<Mail, "outbox"> | null>;
