import * as z from "zod";
import { inTransaction } from "../../db/index.ts";
import { parseEmail } from "../users/email-address.ts";
import type { AuthContext } from "../auth-context.ts";
import { authError } from "../auth-error.ts";
import type { AuthResponse, AuthCall } from "../call.ts";
import { issueOneTime } from "../one-time/issue-one-time.ts";
import { buildLink, chooseRedirect } from "../one-time/links.ts";
import { parseAuthBody } from "../parse-call.ts";
import { checkNewPassword } from "../passwords/rules.ts";
import { findUserByEmail, selectWholeUser } from "../sql/users.ts";
import { renderUser } from "../users/render-user.ts";
import { APPROVED, approveUnlessKnown } from "../users/create-user.ts";
import { LINK_KINDS, type LinkType, parseLinkType, type LinkInput, prepareLinkUser } from "./link-user.ts";

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
