import * as z from "zod";
import { parseEmail } from "../users/email-address.ts";
import type { AuthContext } from "../auth-context.ts";
import { authError } from "../auth-error.ts";
import type { AuthResponse, AuthCall } from "../call.ts";
import { parseAuthBody } from "../parse-call.ts";
import { lockUser } from "../sql/users.ts";
import { inMailTransaction } from "./in-mail-transaction.ts";
import { readLinkOptions, requestMail } from "./mail-jobs.ts";
import { sendReauthentication } from "./send-mail-flow.ts";

export const RECOVERY_BODY = z.object({ email: z.string().default("") });

/** POST /recover: sends a link for users who have lost their password. */
export async function requestRecovery(context: AuthContext, call: AuthCall): Promise<AuthResponse> {
  const address = parseEmail(parseAuthBody(RECOVERY_BODY, call).email);
  const options = readLinkOptions(context, call);
  await requestMail(context, "recovery", { address, flow: { flow: "recovery" }, options });
  return { status: 200, body: {} };
}

export const RESEND_BODY = z.object({
  type: z.enum(["signup", "email_change", "sms", "phone_change"], { error: "Resend requires a known type" }),
  email: z.string().default(""),
  phone: z.string().default(""),
});

/** POST /resend: repeats the mail of a pending sign-up or e-mail change. */
export async function requestResend(context: AuthContext, call: AuthCall): Promise<AuthResponse> {
  const { type, ...body } = parseAuthBody(RESEND_BODY, call);
  if (body.phone !== "" || type === "sms" || type === "phone_change") throw authError("phone_provider_disabled");
  const address = parseEmail(body.email);
  const options = readLinkOptions(context, call);
  // Only accounts start a change of address. Sharing its throttle would reveal that there is an account.
  if (type === "signup")
    await requestMail(context, "confirmation", { address, flow: { flow: "resend_signup" }, options });
  else await requestMail(context, "email_change_resend", { address, flow: { flow: "resend_email_change" }, options });
  return { status: 200, body: {} };
}

/** GET /reauthenticate: mails a code for sensitive changes, so that a stolen session is not enough for them. */
export async function requestReauthentication(context: AuthContext, call: AuthCall): Promise<AuthResponse> {
  const { principal } = call;
  if (principal.role !== "authenticated") throw authError("no_authorization");
  await inMailTransaction(context, async (client) => {
    const user = await lockUser(client, principal.userId);
    if (user === null) throw authError("user_not_found", undefined, { status: 401 });
    if (user.email === null) {
      throw authError("validation_failed", "Reauthentication requires the user to have an email or a phone number", {
        status: 422,
      });
    }
    await sendReauthentication(context, client, user);
  });
  return { status: 200, body: {} };
}
