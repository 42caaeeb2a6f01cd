import * as z from "zod";
import { parseEmail } from "../accounts/email-address.ts";
import { parseBody } from "../accounts/parse-body.ts";
import { authError } from "../auth-error.ts";
import type { AuthAnswer, AuthCall } from "../call.ts";
import type { AuthContext } from "../auth-context.ts";
import { findUserByEmail, lockUser } from "../users/sql/select-user.ts";
import { postLink } from "./post-mail.ts";
import { requestMail } from "./request-mail.ts";
import { postEmailChange } from "./send-mail-flow.ts";

export const RESEND_BODY = z.object({
  type: z.enum(["signup", "email_change", "sms", "phone_change"], { error: "Resend requires a known type" }),
  email: z.string().default(""),
  phone: z.string().default(""),
});

/** POST /resend: the mail of a sign-up or an e-mail change that is still open, once more. */
export async function requestResend(context: AuthContext, call: AuthCall): Promise<AuthAnswer> {
  const { type, ...body } = parseBody(RESEND_BODY, call);
  if (body.phone !== "" || type === "sms" || type === "phone_change") throw authError("phone_provider_disabled");
  const email = parseEmail(body.email);
  const redirectTo = call.query["redirect_to"];
  return requestMail(context, call, {
    address: email,
    // A change of address is begun by accounts alone; sharing its brake would tell that there is one.
    slot: type === "signup" ? "confirmation" : "email_change_resend",
    post: async (client) => {
      const known = await findUserByEmail(client, email);
      const user = known === null ? null : await lockUser(client, known.id);
      if (user === null) return;
      if (type === "signup") {
        if (user.email_confirmed_at !== null) return;
        await postLink(context, client, { user, call, kind: "confirmation", to: email, redirectTo });
      } else if (user.new_email !== null) {
        await postEmailChange(context, client, { user, call, newEmail: user.new_email, redirectTo });
      }
    },
  });
}
