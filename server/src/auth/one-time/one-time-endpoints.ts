import { setTimeout as wait } from "node:timers/promises";
import * as z from "zod";
import type { AuthContext } from "../auth-context.ts";
import { authError } from "../auth-error.ts";
import type { AuthCall, AuthEndpoint, AuthResponse } from "../call.ts";
import { parseAuthBody } from "../parse-call.ts";
import { finishSession, issueSession } from "../sessions/issue-session.ts";
import type { OneTimeRow } from "../sql/one-time-tokens.ts";
import { lockUser } from "../sql/users.ts";
import { parseEmail } from "../users/email-address.ts";
import { mergeMetadata } from "../users/metadata.ts";
import { checkPhoneNumber } from "../users/phone-number.ts";
import { findOneTimeByCode, findOneTimeByLink, LINK_ERROR_MESSAGE, oneTimeError } from "./find-one-time.ts";
import { inMailTransaction } from "./in-mail-transaction.ts";
import { readLinkOptions, requestMail } from "./mail-jobs.ts";
import { HALF_MESSAGE, kindsOf, methodOf, TOKEN_LENGTH, VERIFY_TYPE } from "./one-time-kind.ts";
import { CODE_VERIFIER, requireVerifier } from "./pkce.ts";
import { sendReauthentication } from "./send-mail-flow.ts";
import { useOneTime } from "./use-one-time.ts";
import { verifyLink } from "./verify-link.ts";

/** Longer than any code path of these endpoints takes. */
const STEP_MS = 50;

const VERIFY_BODY = z.object({
  type: VERIFY_TYPE,
  email: z.string().default(""),
  phone: z.string().default(""),
  token: z.string().max(TOKEN_LENGTH).default(""),
  token_hash: z.string().max(TOKEN_LENGTH).default(""),
  code_verifier: CODE_VERIFIER,
});

const RECOVERY_BODY = z.object({ email: z.string().default("") });

const RESEND_BODY = z.object({
  type: z.enum(["signup", "email_change", "sms", "phone_change"], { error: "Resend requires a known type" }),
  email: z.string().default(""),
  phone: z.string().default(""),
});

const OTP_BODY = z.object({
  email: z.string().default(""),
  phone: z.string().default(""),
  create_user: z.boolean().default(true),
  data: z.record(z.string(), z.unknown()).default({}),
});

export const oneTimeEndpoints: readonly AuthEndpoint[] = [
  { method: "POST", path: "/otp", access: "apikey", limit: "auth", body: OTP_BODY, run: requestOtp },
  { method: "POST", path: "/magiclink", access: "apikey", limit: "auth", body: OTP_BODY, run: requestOtp },
  { method: "POST", path: "/recover", access: "apikey", limit: "auth", body: RECOVERY_BODY, run: requestRecovery },
  { method: "POST", path: "/resend", access: "apikey", limit: "auth", body: RESEND_BODY, run: requestResend },
  { method: "GET", path: "/reauthenticate", access: "user", limit: "api", run: requestReauthentication },
  { method: "POST", path: "/verify", access: "apikey", limit: "auth", body: VERIFY_BODY, run: verifyOneTimeToken },
  { method: "GET", path: "/verify", access: "public", limit: "auth", run: verifyLink },
];

/**
 * POST /otp and /magiclink: mails a code and a link to sign in with. The response is the same whether the address has
 * an account, gets one, or gets nothing because sign-ups are disabled.
 */
async function requestOtp(context: AuthContext, call: AuthCall): Promise<AuthResponse> {
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

/** POST /recover: sends a link for users who have lost their password. */
async function requestRecovery(context: AuthContext, call: AuthCall): Promise<AuthResponse> {
  const address = parseEmail(parseAuthBody(RECOVERY_BODY, call).email);
  const options = readLinkOptions(context, call);
  await requestMail(context, "recovery", { address, flow: { flow: "recovery" }, options });
  return { status: 200, body: {} };
}

/** POST /resend: repeats the mail of a pending sign-up or e-mail change. */
async function requestResend(context: AuthContext, call: AuthCall): Promise<AuthResponse> {
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
async function requestReauthentication(context: AuthContext, call: AuthCall): Promise<AuthResponse> {
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

type Presented = z.output<typeof VERIFY_BODY>;

/** POST /verify: exchanges an address with its code, or the token of a link, for a session. */
async function verifyOneTimeToken(context: AuthContext, call: AuthCall): Promise<AuthResponse> {
  const presented = parseAuthBody(VERIFY_BODY, call);
  const body = await rejectEvenly(async () => {
    const found = await findPresented(context, presented);
    const done = await useOneTime(context, found, call, async (client, used) => {
      if (used === "half") return { msg: HALF_MESSAGE, code: "200" };
      return issueSession(context, client, { user: used.user, method: methodOf(presented.type), call });
    });
    return "msg" in done ? done : finishSession(context, done);
  });
  return { status: 200, body, headers: { "cache-control": "no-store" } };
}

async function findPresented(context: AuthContext, presented: Presented): Promise<OneTimeRow> {
  const kinds = kindsOf(presented.type);
  if (presented.token_hash !== "") {
    if (presented.email !== "" || presented.phone !== "" || presented.token !== "") {
      throw authError("validation_failed", "Only the token_hash and type should be provided");
    }
    const found = await findOneTimeByLink(context, presented.token_hash, kinds);
    if (found === null) throw oneTimeError(LINK_ERROR_MESSAGE);
    if (found.flow_state_id !== null) await requireVerifier(context, found.flow_state_id, presented.code_verifier);
    return found;
  }
  if (presented.token === "") throw authError("validation_failed", "Verify requires a token or a token hash");
  if (presented.phone !== "") rejectPhoneCode(presented);
  const relatesTo = parseEmail(presented.email);
  const found = await findOneTimeByCode(context, { relatesTo, code: presented.token, kinds });
  if (found === null) throw oneTimeError();
  return found;
}

/** No code is sent to phone numbers, so every code is wrong. */
function rejectPhoneCode({ email, phone }: Presented): never {
  if (email !== "") {
    throw authError("validation_failed", "Only an email address or phone number should be provided on verify");
  }
  checkPhoneNumber(phone);
  throw oneTimeError();
}

/** Delays errors to multiples of a fixed time, so that the time does not reveal whether an address has an account. */
async function rejectEvenly<T>(work: () => Promise<T>): Promise<T> {
  const startedAt = performance.now();
  try {
    return await work();
  } catch (error) {
    const elapsedMs = performance.now() - startedAt;
    await wait(STEP_MS - (elapsedMs % STEP_MS));
    throw error;
  }
}
