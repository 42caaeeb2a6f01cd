import * as z from "zod";
import { inTransaction } from "../../db/index.ts";
import { parseEmail } from "../accounts/email-address.ts";
import type { AuthContext } from "../auth-context.ts";
import { authError } from "../auth-error.ts";
import type { AuthResponse, AuthCall } from "../call.ts";
import { parseBody } from "../parse-call.ts";
import { deleteExpired } from "../sql/expired-rows.ts";
import { findUserByEmail, lockUser } from "../sql/users.ts";
import { settleEvenly } from "./answer-evenly.ts";
import { inSilentMailTransaction, type MailingClient, inMailTransaction } from "./in-mail-transaction.ts";
import { claimMailSlot, type MailSlot } from "./mail-throttle.ts";
import { readPkce } from "./pkce.ts";
import { postLink } from "./post-mail.ts";
import { postEmailChange, sendReauthentication } from "./send-mail-flow.ts";

export interface MailRequest {
  /** Normalized. */
  readonly address: string;
  readonly slot: MailSlot;
  /** Adds a mail to the transaction, or none, depending on the account of the address. */
  post(client: MailingClient): Promise<void>;
}

/**
 * Handles requests for mail that need only an address. Everything that can be rejected is rejected before the address
 * is looked up, and the response does not wait for the mail.
 */
export async function requestMail(context: AuthContext, call: AuthCall, request: MailRequest): Promise<AuthResponse> {
  // An invalid code challenge must be rejected for addresses without an account too.
  readPkce(call);
  await context.mailer.checkReady();
  return settleEvenly(async () => {
    const now = context.clock.now();
    const throttledBefore = new Date(now.getTime() - context.settings.authMailIntervalSeconds * 1000);
    await inTransaction(context.pool, (client) => deleteExpired(client, now, throttledBefore));
    await inSilentMailTransaction(context, async (client) => {
      await claimMailSlot(context, client, request);
      await request.post(client);
    });
    return { status: 200, body: {} };
  });
}

export const RECOVERY_BODY = z.object({ email: z.string().default("") });

/** POST /recover: sends a link for users who have lost their password. */
export async function requestRecovery(context: AuthContext, call: AuthCall): Promise<AuthResponse> {
  const email = parseEmail(parseBody(RECOVERY_BODY, call).email);
  return requestMail(context, call, {
    address: email,
    slot: "recovery",
    post: async (client) => {
      const known = await findUserByEmail(client, email);
      const user = known === null ? null : await lockUser(client, known.id);
      if (user === null) return;
      await postLink(context, client, {
        user,
        call,
        kind: "recovery",
        to: email,
        redirectTo: call.query["redirect_to"],
      });
    },
  });
}

export const RESEND_BODY = z.object({
  type: z.enum(["signup", "email_change", "sms", "phone_change"], { error: "Resend requires a known type" }),
  email: z.string().default(""),
  phone: z.string().default(""),
});

/** POST /resend: repeats the mail of a pending sign-up or e-mail change. */
export async function requestResend(context: AuthContext, call: AuthCall): Promise<AuthResponse> {
  const { type, ...body } = parseBody(RESEND_BODY, call);
  if (body.phone !== "" || type === "sms" || type === "phone_change") throw authError("phone_provider_disabled");
  const email = parseEmail(body.email);
  const redirectTo = call.query["redirect_to"];
  return requestMail(context, call, {
    address: email,
    // Only accounts start a change of address. Sharing its throttle would reveal that there is an account.
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
