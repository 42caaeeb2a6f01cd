import * as z from "zod";
import type { AuthContext } from "../auth-context.ts";
import { authError } from "../auth-error.ts";
import type { AuthResponse, AuthCall } from "../call.ts";
import { readPkce } from "../one-time/pkce.ts";
import { parseAuthBody } from "../parse-call.ts";
import { checkNewPassword } from "../passwords/rules.ts";
import { issueSession, openSession } from "../sessions/issue-session.ts";
import type { SessionBody } from "../sessions/render-session.ts";
import { insertUser } from "../sql/users.ts";
import { isAutoconfirmed } from "../users/account-rules.ts";
import { approvedId, approveNewUser, createEmailUser, isEmailTaken, withoutClaims } from "../users/create-user.ts";
import { parseEmail } from "../users/email-address.ts";
import { mergeMetadata, type Metadata } from "../users/metadata.ts";
import { type ValidatedSignUp, signUpUnconfirmed } from "./sign-up-unconfirmed.ts";

export const SIGN_UP_BODY = z.object({
  email: z.string().default(""),
  phone: z.string().default(""),
  password: z.string().default(""),
  data: z.record(z.string(), z.unknown()).default({}),
});

export async function signUp(context: AuthContext, call: AuthCall): Promise<AuthResponse> {
  const body = parseAuthBody(SIGN_UP_BODY, call);
  if (!context.settings.authSignupEnabled) throw authError("signup_disabled");
  if (body.phone !== "") throw authError("phone_provider_disabled");
  const userMetadata = mergeMetadata({}, body.data);
  if (body.email === "" && body.password === "") return signUpAnonymously(context, call, userMetadata);

  const email = parseEmail(body.email);
  if (body.password === "") throw authError("validation_failed", "Signup requires a valid password");
  checkNewPassword(body.password, context.settings);
  readPkce(call);
  // Hashed whether or not the address is free, so that the response time reveals nothing.
  const passwordHash = await context.hasher.hash(body.password);
  // Asked for every address for the same reason, before any account is looked up.
  const approval = await approveNewUser(context, { email, data: userMetadata, address: call.address });
  const registration = { email, passwordHash, userMetadata, approval };
  return isAutoconfirmed(context.settings)
    ? { status: 200, body: await signUpConfirmed(context, call, registration) }
    : { status: 200, body: await signUpUnconfirmed(context, call, { ...registration, password: body.password }) };
}

async function signUpConfirmed(
  context: AuthContext,
  call: AuthCall,
  registration: ValidatedSignUp,
): Promise<SessionBody> {
  try {
    return await openSession(context, async (client) => {
      const user = await createEmailUser(context, client, { ...registration, isConfirmed: true });
      return issueSession(context, client, { user, method: "password", call, isNew: true });
    });
  } catch (error) {
    if (isEmailTaken(error)) throw authError("user_already_exists");
    throw error;
  }
}

/** Creates a user that is lost with its session unless an address is added. */
async function signUpAnonymously(context: AuthContext, call: AuthCall, userMetadata: Metadata): Promise<AuthResponse> {
  if (!context.settings.authAnonymousEnabled) throw authError("anonymous_provider_disabled");
  const columns = { app_metadata: {}, user_metadata: withoutClaims(userMetadata) };
  const asked = { email: null, data: columns.user_metadata, address: call.address };
  const approval = await approveNewUser(context, asked);
  const session = await openSession(context, async (client) => {
    const user = await insertUser(client, { ...columns, id: approvedId(approval), is_anonymous: true });
    return issueSession(context, client, { user, method: "anonymous", call, isNew: true });
  });
  return { status: 200, body: session };
}
