import type { Mail } from "../mail/mailer.ts";
import type { AuthRoom } from "../room.ts";
import type { ClaimedMail } from "./sql/mail-outbox.ts";

export type ComposingRoom = Pick<AuthRoom, "pool" | "baseUrl" | "settings">;

export interface Addressed extends ClaimedMail {
  readonly to: string;
}

/** The mail as it should read now, or null when its reason has gone. */
export type ComposeMail = (room: ComposingRoom, claimed: Addressed) => Promise<Omit<Mail, "outbox"> | null>;
