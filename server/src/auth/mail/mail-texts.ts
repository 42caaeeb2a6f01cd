import type { Mail, MailKind } from "./mail.ts";

/** What one kind of mail says; the layout is the same for all. */
export interface MailText {
  readonly subject: string;
  readonly title: string;
  readonly paragraphs: readonly string[];
  /** On the button; null where there is nothing to press. */
  readonly button: string | null;
  /** What to do when one did not ask for it. */
  readonly closing: string;
}

const IGNORE = "If you did not ask for this, you can ignore this mail. Nothing changes.";
const KEEP_SECRET = "Nobody but you needs this code: do not pass it on, whoever asks.";

const TEXTS: Readonly<Record<MailKind, (mail: Mail) => MailText>> = {
  confirmation: ({ to }) => ({
    subject: "Confirm your e-mail address",
    title: "Confirm your e-mail address",
    paragraphs: [`To finish setting up your account, confirm that ${to} is yours.`],
    button: "Confirm address",
    closing: IGNORE,
  }),
  magiclink: ({ to }) => ({
    subject: "Your sign-in link",
    title: "Sign in",
    paragraphs: [`Here is the link you asked for to sign in as ${to}. It works once.`],
    button: "Sign in",
    closing: `${KEEP_SECRET} ${IGNORE}`,
  }),
  recovery: ({ to }) => ({
    subject: "Reset your password",
    title: "Reset your password",
    paragraphs: [
      `Somebody, hopefully you, asked for a new password for ${to}. The link signs you in once, to choose one.`,
    ],
    button: "Choose a new password",
    closing: `${KEEP_SECRET} If it was not you, ignore this mail: your password stays as it is.`,
  }),
  invite: ({ to, values }) => ({
    subject: "You have been invited",
    title: "You have been invited",
    paragraphs: [`Somebody invited ${to} to join ${values.siteUrl}.`],
    button: "Accept the invitation",
    closing: "If you do not want to join, ignore this mail.",
  }),
  email_change_current: ({ to, values }) => ({
    subject: "Confirm the change of your e-mail address",
    title: "Change of e-mail address",
    paragraphs: [
      `Your account with the address ${to} is to have the address ${values.newEmail ?? "that you have chosen"} instead.`,
      "Confirm this change here. It is confirmed at the new address too.",
    ],
    button: "Agree to the change",
    closing: "If you did not ask for this, do not agree, and change your password: somebody is signed in as you.",
  }),
  email_change_new: ({ to }) => ({
    subject: "Confirm your new e-mail address",
    title: "Confirm your new e-mail address",
    paragraphs: [`An account is to have ${to} as its new e-mail address. Confirm that it is yours.`],
    button: "Confirm the new address",
    closing: IGNORE,
  }),
  reauthentication: ({ to }) => ({
    subject: "Your confirmation code",
    title: "Confirm that it is you",
    paragraphs: [`Enter this code to go on with what you have begun as ${to}.`],
    button: null,
    closing: `${KEEP_SECRET} If you did not ask for it, change your password: somebody is signed in as you.`,
  }),
  address_taken: ({ to, values }) => ({
    subject: "Somebody tried to use your e-mail address",
    title: "You already have an account",
    paragraphs: [
      `Somebody, perhaps you, gave ${to} as the address of an account at ${values.siteUrl}. There is one with this address already, so nothing was changed.`,
      "If it was you, sign in as usual, or ask for a new password there.",
    ],
    button: null,
    closing: "If it was not you, there is nothing that you need to do.",
  }),
};

export function textOf(mail: Mail): MailText {
  return TEXTS[mail.kind](mail);
}
