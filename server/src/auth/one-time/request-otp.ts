import * as z from "zod";
import { parseEmail } from "../users/email-address.ts";
import { mergeMetadata } from "../users/metadata.ts";
import type { AuthContext } from "../auth-context.ts";
import { authError } from "../auth-error.ts";
import type { AuthResponse, AuthCall } from "../call.ts";
import { parseAuthBody } from "../parse-call.ts";
import { readLinkOptions, requestMail } from "./mail-jobs.ts";

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
  const body = parseAuthBody(OTP_BODY, call);
  if (body.phone !== "") throw authError("phone_provider_disabled");
  const address = parseEmail(body.email);
  const userMetadata = mergeMetadata({}, body.data);
  const mayCreate = body.create_user && context.settings.authSignupEnabled;
  const options = readLinkOptions(context, call);
  const flow = { flow: "otp", mayCreate, userMetadata, address: call.address } as const;
  await requestMail(context, "magiclink", { address, flow, options });
  return { status: 200, body: {} };
}
