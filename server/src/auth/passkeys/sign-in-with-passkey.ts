import * as z from "zod";
import { inTransaction } from "../../db/index.ts";
import type { AuthContext } from "../auth-context.ts";
import { authError } from "../auth-error.ts";
import type { AuthCall, AuthResponse } from "../call.ts";
import { parseBody } from "../parse-call.ts";
import { finishSession, issueSession } from "../sessions/issue-session.ts";
import { lockUser } from "../sql/users.ts";
import { findPasskey } from "../sql/webauthn-credentials.ts";
import { requireSignInAllowed } from "../users/account-rules.ts";
import { buildRequestOptions } from "../webauthn/build-options.ts";
import { ASSERTION } from "../webauthn/credential-schemas.ts";
import { recordUse } from "../webauthn/record-use.ts";
import { verifyAssertion } from "../webauthn/verify-response.ts";
import { CHALLENGE_ID, openChallenge, requireRelyingParty, takeChallenge } from "./passkey-challenges.ts";

export const SIGN_IN_BODY = z.object({ challenge_id: CHALLENGE_ID, credential: ASSERTION });

/** POST /passkeys/authentication/options: names no credential, so that it tells nothing about accounts. */
export async function startPasskeySignIn(context: AuthContext): Promise<AuthResponse> {
  const party = requireRelyingParty(context);
  const body = await openChallenge(context, context.pool, null, (challenge) => buildRequestOptions(party, challenge));
  return { status: 200, body };
}

/** POST /passkeys/authentication/verify. Until the signature is verified, every error is the same. */
export async function finishPasskeySignIn(context: AuthContext, call: AuthCall): Promise<AuthResponse> {
  const party = requireRelyingParty(context);
  const { challenge_id: challengeId, credential } = parseBody(SIGN_IN_BODY, call);
  const challengeHash = await takeChallenge(context, challengeId, null);
  const passkey = await findPasskey(context.pool, Buffer.from(credential.id, "base64url"));
  const handle = Buffer.from(credential.response.userHandle ?? "", "base64url").toString();
  if (passkey === null || passkey.user_id !== handle) throw authError("webauthn_verification_failed");
  const use = await verifyAssertion(context, party, { credential, challengeHash, stored: passkey });
  if (use === null) throw authError("webauthn_verification_failed");

  const session = await inTransaction(context.pool, async (client) => {
    const user = await lockUser(client, passkey.user_id);
    if (user === null) throw authError("webauthn_verification_failed");
    const recorded = { credential: passkey, use, sessionId: null, address: call.address };
    if (!(await recordUse(context, client, recorded))) return null;
    requireSignInAllowed(context, user);
    return issueSession(context, client, { user, method: "passkey", call });
  });
  if (session === null) throw authError("webauthn_verification_failed");
  return { status: 200, body: await finishSession(context, session) };
}
