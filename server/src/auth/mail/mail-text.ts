import type { AccountAction, AccountChangeNote, Mail, MailKind, SwitchedOffWebhook } from "./mail.ts";

/** The text of one kind of mail; all kinds share one layout. */
export interface MailText {
  readonly subject: string;
  /** Defaults to the subject. */
  readonly title?: string;
  readonly paragraphs: readonly string[];
  /** The label of the button; null for a mail without one. */
  readonly button: string | null;
  /** What to do when the recipient did not request the mail. */
  readonly closing: string;
}

const IGNORE = "If you did not ask for this, you can ignore this mail. Nothing changes.";
const KEEP_SECRET = "Nobody but you needs this code: do not pass it on, whoever asks.";

const TEXTS: Readonly<Record<MailKind, (mail: Mail) => MailText>> = {
  confirmation: ({ to }) => ({
    subject: "Confirm your e-mail address",
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
    paragraphs: [
      `Somebody, hopefully you, asked for a new password for ${to}. The link signs you in once, to choose one.`,
    ],
    button: "Choose a new password",
    closing: `${KEEP_SECRET} If it was not you, ignore this mail: your password stays as it is.`,
  }),
  invite: ({ to, values }) => ({
    subject: "You have been invited",
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
  account_changed: ({ to, values: { changes = [], siteUrl } }) => ({
    subject: "A change of your account",
    title: "Your account was changed",
    paragraphs: [`This happened to your account ${to} at ${siteUrl}:`, ...changes.map(describeChange)],
    button: null,
    closing:
      "If it was not you, set a new password, which ends all other sessions, and check your connected programs, API keys, passkeys and second factors. If you cannot sign in, write to those who run the service.",
  }),
  webhook_disabled: ({ to, values: { switchedOff = [] } }) => ({
    subject: "A webhook was switched off",
    paragraphs: [
      `The service has switched off ${switchedOff.length === 1 ? "a webhook" : `${switchedOff.length} webhooks`} of your account ${to}. Nothing is sent to a webhook until it is switched on again.`,
      ...switchedOff.slice(0, MAX_NAMED).map(describeSwitchedOff),
      ...(switchedOff.length > MAX_NAMED ? [`And ${switchedOff.length - MAX_NAMED} more.`] : []),
      "What to do: correct the endpoint or the URL of the webhook, then switch the webhook on (is_active). Deliveries that were waiting are kept for three days and are sent then. Failed deliveries can be sent again with recover_since.",
    ],
    button: "Open your webhooks",
    closing: "You receive this mail because the webhook belongs to your account.",
  }),
  // The subject contains no names: users choose them, and the service would send them under its own name.
  swarm_invitation: ({ to, values }) => ({
    subject: "An invitation to a swarm",
    title: "You are invited to a swarm",
    paragraphs: [
      `${quoteName(values.inviterName ?? "Somebody")} invites ${to} to the swarm “${quoteName(values.swarmName ?? "")}” at ${values.siteUrl}.`,
      "To accept or decline, sign in with this address, or make an account with it.",
      ...(values.expiresAt === undefined ? [] : [`The invitation expires on ${formatDay(values.expiresAt)}.`]),
    ],
    button: "See the invitation",
    closing: "If you do not know who this is, ignore this mail. Nothing changes.",
  }),
  test: ({ to, values }) => ({
    subject: "Test mail",
    paragraphs: [`This mail to ${to} shows that the service at ${values.siteUrl} can send mails.`],
    button: null,
    closing: "You receive it because you asked for it as an operator of the service.",
  }),
};

const MAX_NAMED = 10;

const REASONS: Readonly<Record<string, string>> = {
  endpoint_gone: "its endpoint answered 410 Gone, which says that it no longer exists",
  endpoint_failing: "every delivery to it has failed for five days",
  queue_full: "more deliveries were waiting than the service keeps for one account; those for this webhook have failed",
};

/** 17 November 2026 */
function formatDay(at: Date): string {
  return at.toLocaleDateString("en-GB", { day: "numeric", month: "long", year: "numeric", timeZone: "UTC" });
}

function describeSwitchedOff({ name, reason, at }: SwitchedOffWebhook): string {
  return `"${toOneLine(name)}" was switched off at ${formatTime(at)}: ${REASONS[reason] ?? reason}.`;
}

const CHANGES: Readonly<Record<AccountAction, string>> = {
  password_changed: "the password was changed",
  email_changed: "the e-mail address was changed",
  factor_added: "a second factor was set up",
  factor_removed: "a second factor was removed",
  recovery_codes_generated: "new recovery codes were created",
  recovery_codes_removed: "the recovery codes were removed",
  passkey_added: "a passkey was added",
  passkey_removed: "a passkey was removed",
  api_key_created: "an API key was created",
  api_key_revoked: "an API key was revoked",
  program_connected: "a program was connected, which can now act for the account",
  program_disconnected: "a program was disconnected",
  signing_secret_created: "a new secret for signed requests was created",
  signing_secret_removed: "the secret for signed requests was removed",
  identity_linked: "a way to sign in with an identity provider was added",
  identity_unlinked: "a way to sign in with an identity provider was removed",
  access_removed:
    "its address was proven for the first time, so the password, sessions, keys and other access from before were removed",
  account_exported: "all data of the account was downloaded",
  account_deleted: "the account was deleted with all that it owned",
};

function describeChange({ action, at }: AccountChangeNote): string {
  return `${formatTime(at)}: ${CHANGES[action]}.`;
}

/** 2026-11-17 09:30 UTC */
function formatTime(at: Date): string {
  return `${at.toISOString().slice(0, 16).replace("T", " ")} UTC`;
}

export function textOf(mail: Mail): MailText {
  return TEXTS[mail.kind](mail);
}

const MAX_LENGTH = 100;
const ZERO_WIDTH_SPACE = "\u200b";

/** Free text on one line, without bidirectional and invisible characters. */
function toOneLine(text: string): string {
  return text
    .replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, " ")
    .replace(/\s+/g, " ")
    .trim();
}

/** Renders a user's name for a mail to somebody else: short, and without anything that becomes a link. */
function quoteName(name: string): string {
  const line = toOneLine(name);
  const characters = Array.from(line);
  const short = characters.length > MAX_LENGTH ? `${characters.slice(0, MAX_LENGTH).join("")}…` : line;
  const isAddress = /^[^\s@/:]+@[^\s@/:]+$/.test(short);
  return isAddress ? short : short.replace(/(?<=\S)[.:/](?=\S)/g, `$&${ZERO_WIDTH_SPACE}`);
}
