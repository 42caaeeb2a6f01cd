import * as z from "zod";
import { inTransaction } from "../../db/index.ts";
import type { AuthContext } from "../auth-context.ts";
import { authError } from "../auth-error.ts";
import type { AuthCall, AuthResponse } from "../call.ts";
import { linkIdentity } from "../external/link-identity.ts";
import { openAnswer } from "../external/read-provider-answer.ts";
import { ID_TOKEN_BODY, signInWithIdToken } from "../external/sign-in-with-id-token.ts";
import { checkVerifier, CODE_BODY, hashAuthCode } from "../one-time/pkce.ts";
import { parseAuthBody } from "../parse-call.ts";
import { findPasswordFaults, type PasswordFaults } from "../passwords/rules.ts";
import { checkPasswordAttempt } from "../sessions/check-attempt.ts";
import { finishSession, issueSession, openSession } from "../sessions/issue-session.ts";
import { refreshSession } from "../sessions/refresh-session.ts";
import type { SessionBody } from "../sessions/render-session.ts";
import { takeFlowState } from "../sql/flow-states.ts";
import type { UserRow } from "../sql/user-row.ts";
import { findUserByEmail, lockUser, updateUser } from "../sql/users.ts";
import { isBanned, requireSignInAllowed } from "../users/account-rules.ts";
import { findEmail } from "../users/email-address.ts";

const PASSWORD_BODY = z.object({
  email: z.string().default(""),
  phone: z.string().default(""),
  password: z.string().default(""),
});

const REFRESH_BODY = z.object({ refresh_token: z.string().default("") });

/** By `grant_type`: password, refresh_token, pkce, id_token. */
export const GRANT_BODY = z.union([PASSWORD_BODY, REFRESH_BODY, CODE_BODY, ID_TOKEN_BODY]);

/** POST /token: dispatches on `grant_type`. */
export async function grantToken(context: AuthContext, call: AuthCall): Promise<AuthResponse> {
  switch (call.query["grant_type"]) {
    case "password":
      return answer(await signInWithPassword(context, call));
    case "refresh_token":
      return answer(await refresh(context, call));
    case "pkce":
      return answer(await exchangeCode(context, call));
    case "id_token":
      return answer(await signInWithIdToken(context, call));
    case "web3":
      throw authError("web3_provider_disabled");
    default:
      throw authError("invalid_credentials", "unsupported_grant_type");
  }
}

/** Only a password can be guessed here; a refresh is not a sign-in attempt. */
export function limitOfGrant({ grant_type: grantType }: AuthCall["query"]): "api" | "auth" | "refresh" {
  if (grantType === "refresh_token") return "refresh";
  return grantType === "password" ? "auth" : "api";
}

async function refresh(context: AuthContext, call: AuthCall) {
  const { refresh_token: token } = parseAuthBody(REFRESH_BODY, call);
  if (token === "") throw authError("validation_failed", "refresh_token required");
  return refreshSession(context, { text: token, address: call.address });
}

function answer(body: unknown): AuthResponse {
  return { status: 200, body, headers: { "cache-control": "no-store" } };
}

/** Ends a PKCE flow: exchanges the authorization code and the verifier for a session. */
async function exchangeCode(context: AuthContext, call: AuthCall): Promise<SessionBody> {
  const { auth_code: code, code_verifier: verifier } = parseAuthBody(CODE_BODY, call);
  if (code === "" || verifier === "") {
    throw authError("validation_failed", "invalid request: both auth code and code verifier should be non-empty");
  }
  const { issued, tokens } = await inTransaction(context.pool, async (client) => {
    const state = await takeFlowState(client, hashAuthCode(code));
    if (state === null || state.user_id === null) throw authError("flow_state_not_found");
    if (state.expires_at <= context.clock.now()) throw authError("flow_state_expired");
    // The error restores the flow state: somebody who has the code but not the verifier cannot use it up.
    checkVerifier(state, verifier);
    const { id, provider_answer_wrapped: wrapped, authentication_method: method } = state;
    const answer = wrapped === null ? null : openAnswer(context.masterKey, id, wrapped);
    const { tokens = {}, isNew = false, linking = null } = answer ?? {};
    if (linking !== null) return { issued: await linkIdentity(context, client, { ...linking, call }), tokens };
    const user = await lockUser(client, state.user_id);
    if (user === null) throw authError("flow_state_not_found");
    if (isBanned(context, user)) throw authError("user_banned");
    return { issued: await issueSession(context, client, { user, method, call, isNew }), tokens };
  });
  context.mailWakeUp.trigger();
  return { ...(await finishSession(context, issued)), ...tokens };
}

type PasswordSession = SessionBody & { readonly weak_password?: PasswordFaults };

/** Until the password is verified, every error is the same and takes the same time. */
async function signInWithPassword(context: AuthContext, call: AuthCall): Promise<PasswordSession> {
  const { email, phone, password } = parseAuthBody(PASSWORD_BODY, call);
  if (phone !== "") throw authError("phone_provider_disabled");
  if (email === "") throw authError("validation_failed", "missing email or phone");

  const user = await findAccount(context, email);
  const { isMatch, shouldRehash } = await context.hasher.verify(user?.password_hash ?? null, password);
  await checkPasswordAttempt(context, { userId: user?.id ?? null, isValid: isMatch, address: call.address });
  if (user === null || !isMatch) throw authError("invalid_credentials");
  requireSignInAllowed(context, user);

  const newHash = shouldRehash ? await context.hasher.hash(password) : undefined;
  const session = await openSession(context, async (client) => {
    const locked = await lockUser(client, user.id);
    // The password was compared without a lock. If it changed since, the comparison no longer holds.
    if (locked?.password_hash !== user.password_hash) throw authError("invalid_credentials");
    requireSignInAllowed(context, locked);
    const current = newHash === undefined ? locked : await updateUser(client, user.id, { password_hash: newHash });
    return issueSession(context, client, { user: current, method: "password", call });
  });
  const faults = findPasswordFaults(password, context.settings);
  return faults === null ? session : { ...session, weak_password: faults };
}

async function findAccount(context: AuthContext, text: string): Promise<UserRow | null> {
  const email = findEmail(text);
  return email === null ? null : findUserByEmail(context.pool, email);
}
