import * as z from "zod";
import { inTransaction, type Queryable } from "../../db/index.ts";
import type { AuthContext } from "../auth-context.ts";
import { authError } from "../auth-error.ts";
import type { AuthCall, AuthResponse } from "../call.ts";
import { issueOneTime } from "../one-time/issue-one-time.ts";
import { buildLink, chooseRedirect } from "../one-time/links.ts";
import type { LinkKind } from "../one-time/one-time-kind.ts";
import { parseAuthBody } from "../parse-call.ts";
import { checkNewPassword } from "../passwords/rules.ts";
import { deleteOneTimeOfKind } from "../sql/one-time-tokens.ts";
import type { UserRow } from "../sql/user-row.ts";
import { findUserByEmail, lockUserByEmail, selectWholeUser, updateUser } from "../sql/users.ts";
import { type Approval, APPROVED, approveUnlessKnown, createEmailUser } from "../users/create-user.ts";
import { parseEmail } from "../users/email-address.ts";
import { mergeMetadata } from "../users/metadata.ts";
import { renderUser } from "../users/render-user.ts";

/** The types of links that administrators can request. */
const LINK_KINDS = {
  signup: "confirmation",
  invite: "invite",
  magiclink: "magiclink",
  recovery: "recovery",
  email_change_current: "email_change_current",
  email_change_new: "email_change_new",
} as const satisfies Record<string, LinkKind>;

export const LINK_BODY = z.object({
  type: z.string().default(""),
  email: z.string().default(""),
  new_email: z.string().default(""),
  password: z.string().default(""),
  data: z.record(z.string(), z.unknown()).optional(),
  redirect_to: z.string().optional(),
});

/** Returns what a mail would contain, for applications that send their mails themselves. */
export async function generateLink(context: AuthContext, call: AuthCall): Promise<AuthResponse> {
  const body = parseAuthBody(LINK_BODY, call);
  const input = await readLinkInput(context, body, call.address);
  const redirectTo = chooseRedirect(context, body.redirect_to ?? call.query["redirect_to"]);
  const kind = LINK_KINDS[input.type];
  const { user, code, tokenHash } = await inTransaction(context.pool, async (client) => {
    const row = await prepareLinkUser(context, client, input);
    const relatesTo = kind === "email_change_new" ? (input.newEmail ?? input.email) : input.email;
    const link = { user: row, kind, relatesTo, redirectTo, isByServiceRole: true };
    const issued = await issueOneTime(client, context, link);
    return { ...issued, user: await selectWholeUser(client, row) };
  });
  return {
    status: 200,
    body: {
      ...renderUser(user),
      action_link: buildLink(context, { kind, tokenHash, redirectTo }),
      email_otp: code,
      hashed_token: tokenHash,
      verification_type: input.type,
      redirect_to: redirectTo,
    },
  };
}

async function readLinkInput(
  context: AuthContext,
  body: z.output<typeof LINK_BODY>,
  address: string,
): Promise<LinkInput> {
  const wanted = parseLinkType(body.type);
  const email = parseEmail(body.email);
  const isNew = (await findUserByEmail(context.pool, email)) === null;
  // A magic link for an unknown address is a sign-up.
  const type: LinkType = wanted === "magiclink" && isNew ? "signup" : wanted;
  const isCreated = type === "signup" || type === "invite";
  return {
    type,
    email,
    approval: isCreated ? await approveUnlessKnown(context, { email, data: body.data, address }) : APPROVED,
    newEmail: body.new_email === "" ? null : parseEmail(body.new_email),
    passwordHash: wanted === "signup" ? await hashGivenPassword(context, body.password, isNew) : null,
    metadata: body.data,
  };
}

/** Null when no password was sent for an existing account. */
async function hashGivenPassword(context: AuthContext, password: string, isNew: boolean): Promise<string | null> {
  if (password === "" && !isNew) return null;
  if (password === "") throw authError("validation_failed", "Signup requires a valid password");
  checkNewPassword(password, context.settings);
  return context.hasher.hash(password);
}

type LinkType = keyof typeof LINK_KINDS;

function parseLinkType(text: string): LinkType {
  if (!isLinkType(text)) {
    throw authError("validation_failed", `type must be one of ${Object.keys(LINK_KINDS).join(", ")}`);
  }
  return text;
}

function isLinkType(text: string): text is LinkType {
  return Object.hasOwn(LINK_KINDS, text);
}

interface LinkInput {
  readonly type: LinkType;
  readonly email: string;
  readonly newEmail: string | null;
  readonly passwordHash: string | null;
  /** For a new account. */
  readonly approval: Approval;
  readonly metadata: Readonly<Record<string, unknown>> | undefined;
}

/** Finds or creates the user and sets the columns that a link of this type requires. */
async function prepareLinkUser(context: AuthContext, client: Queryable, input: LinkInput): Promise<UserRow> {
  const now = context.clock.now();
  switch (input.type) {
    case "signup": {
      const { id } = await findOrCreateUnconfirmed(context, client, input);
      return updateUser(client, id, { confirmation_sent_at: now });
    }
    case "invite": {
      const { id } = await findOrCreateUnconfirmed(context, client, input);
      // Anybody can have set the password of an unconfirmed account.
      return updateUser(client, id, { confirmation_sent_at: now, invited_at: now, password_hash: null });
    }
    case "magiclink":
    case "recovery": {
      const { id } = await getByEmail(client, input.email);
      return updateUser(client, id, { recovery_sent_at: now });
    }
    case "email_change_current":
    case "email_change_new":
      return prepareEmailChange(context, client, input);
  }
}

async function findOrCreateUnconfirmed(context: AuthContext, client: Queryable, input: LinkInput): Promise<UserRow> {
  const { approval, email, passwordHash, metadata } = input;
  const known = await lockUserByEmail(client, email);
  if (known === null) {
    const wholeUserMetadata = mergeMetadata({}, metadata ?? {});
    return createEmailUser(context, client, { approval, email, isConfirmed: false, passwordHash, wholeUserMetadata });
  }
  if (known.email_confirmed_at !== null) throw authError("email_exists");
  return updateUser(client, known.id, {
    ...(metadata !== undefined && { user_metadata: mergeMetadata(known.user_metadata, metadata) }),
    // The administrator's password replaces the one of an unconfirmed sign-up.
    ...(passwordHash !== null && { password_hash: passwordHash }),
  });
}

async function prepareEmailChange(context: AuthContext, client: Queryable, input: LinkInput): Promise<UserRow> {
  const { email, newEmail, type } = input;
  const user = await getByEmail(client, email);
  if (newEmail === null) throw authError("validation_failed", "new_email is required to change an email address");
  if (type === "email_change_current" && !context.settings.authSecureEmailChange) {
    throw authError("validation_failed", "Enable secure email change to generate link for current email");
  }
  if (newEmail === email || (await findUserByEmail(client, newEmail)) !== null) throw authError("email_exists");
  const isSameChange = user.new_email === newEmail;
  // A link for another new address must not confirm this one.
  if (!isSameChange) await deleteOneTimeOfKind(client, user.id, "email_change_current");
  return updateUser(client, user.id, {
    new_email: newEmail,
    // The other address can have confirmed already.
    email_change_confirmations: isSameChange ? user.email_change_confirmations : 0,
    email_change_sent_at: context.clock.now(),
  });
}

async function getByEmail(client: Queryable, email: string): Promise<UserRow> {
  const user = await lockUserByEmail(client, email);
  if (user === null) throw authError("user_not_found", "User with this email not found");
  return user;
}
