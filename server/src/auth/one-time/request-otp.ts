import * as z from "zod";
import { createEmailUser, isEmailTaken } from "../accounts/create-user.ts";
import { parseEmail } from "../accounts/email-address.ts";
import { mergeMetadata } from "../accounts/metadata.ts";
import { parseBody } from "../parse-call.ts";
import { authError } from "../auth-error.ts";
import type { AuthResponse, AuthCall } from "../call.ts";
import type { AuthContext } from "../auth-context.ts";
import { findUserByEmail, lockUser } from "../sql/users.ts";
import type { UserRow } from "../users/user-row.ts";
import type { LinkKind } from "./one-time-kind.ts";
import { postLink } from "./post-mail.ts";
import { requestMail } from "./request-mail.ts";

export const OTP_BODY = z.object({
  email: z.string().default(""),
  phone: z.string().default(""),
  create_user: z.boolean().default(true),
  data: z.record(z.string(), z.unknown()).default({}),
});

/**
 * POST /otp and /magiclink: mails a code and a link to sign in with. The response is the same whether the address has
 * an account, gets one, or gets nothing because sign-ups are disabled.
 */
export async function requestOtp(context: AuthContext, call: AuthCall): Promise<AuthResponse> {
  const body = parseBody(OTP_BODY, call);
  if (body.phone !== "") throw authError("phone_provider_disabled");
  const email = parseEmail(body.email);
  const userMetadata = mergeMetadata({}, body.data);
  const mayCreate = body.create_user && context.settings.authSignupEnabled;
  const attempt = (): Promise<AuthResponse> =>
    requestMail(context, call, {
      address: email,
      slot: "magiclink",
      post: async (client) => {
        const known = await findUserByEmail(client, email);
        if (known === null && !mayCreate) return;
        const user =
          known === null
            ? await createEmailUser(context, client, { email, isConfirmed: false, passwordHash: null, userMetadata })
            : await lockUser(client, known.id);
        if (user === null) return;
        await postLink(context, client, {
          user,
          call,
          kind: kindFor(user),
          to: email,
          redirectTo: call.query["redirect_to"],
        });
      },
    });
  return attempt().catch((error: unknown) => {
    // A concurrent request created the account.
    if (isEmailTaken(error)) return attempt();
    throw error;
  });
}

/** The first code confirms a new account, unless it has a password that somebody else can have set. */
function kindFor(user: UserRow): LinkKind {
  return user.email_confirmed_at === null && user.password_hash === null ? "confirmation" : "magiclink";
}
