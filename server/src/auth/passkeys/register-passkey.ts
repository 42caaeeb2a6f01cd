import * as z from "zod";
import { inTransaction } from "../../db/index.ts";
import type { AuthContext } from "../auth-context.ts";
import { authError } from "../auth-error.ts";
import type { AuthCall, AuthResponse } from "../call.ts";
import { type LockedPrincipal, lockPrincipal } from "../mfa/lock-principal.ts";
import { parseBody } from "../parse-call.ts";
import { requireClientProof } from "../sessions/recent-proof.ts";
import type { Queryable } from "../sql/query.ts";
import { type CredentialRow, selectCredentials } from "../sql/webauthn-credentials.ts";
import { recordChange } from "../users/record-change.ts";
import { buildCreationOptions } from "../webauthn/build-options.ts";
import { ATTESTATION } from "../webauthn/credential-schemas.ts";
import { storeCredential } from "../webauthn/store-credential.ts";
import { verifyAttestation } from "../webauthn/verify-response.ts";
import { CHALLENGE_ID, openChallenge, requireRelyingParty, takeChallenge } from "./passkey-challenges.ts";
import { renderPasskey } from "./own-passkeys.ts";

export const REGISTRATION_BODY = z.object({ challenge_id: CHALLENGE_ID, credential: ATTESTATION });

/** POST /passkeys/registration/options */
export async function startRegistration(context: AuthContext, call: AuthCall): Promise<AuthResponse> {
  const party = requireRelyingParty(context);
  const body = await inTransaction(context.pool, async (client) => {
    const locked = await lockPrincipal(client, call);
    const known = await checkAddition(context, client, locked);
    const { id: handle, email } = locked.user;
    const registration = { purpose: "passkey", handle, name: email ?? handle, known } as const;
    return openChallenge(context, client, handle, (challenge) => buildCreationOptions(party, challenge, registration));
  });
  return { status: 200, body };
}

/** POST /passkeys/registration/verify */
export async function finishRegistration(context: AuthContext, call: AuthCall): Promise<AuthResponse> {
  const party = requireRelyingParty(context);
  const { challenge_id: challengeId, credential } = parseBody(REGISTRATION_BODY, call);
  const challengeHash = await takeChallenge(context, challengeId, call.principal.userId);
  const verified = await verifyAttestation(context, party, { purpose: "passkey", credential, challengeHash });
  if (verified === null) throw authError("webauthn_verification_failed");
  const passkey = await inTransaction(context.pool, async (client) => {
    const locked = await lockPrincipal(client, call);
    await checkAddition(context, client, locked);
    const { user, session } = locked;
    const stored = await storeCredential(client, { ...verified, user_id: user.id, factor_id: null });
    const change = { action: "passkey_added", user, sessionId: session.id, address: call.address } as const;
    await recordChange(context, client, change);
    return stored;
  });
  return { status: 200, body: renderPasskey(passkey) };
}

/** Returns the user's passkeys. */
async function checkAddition(
  context: AuthContext,
  client: Queryable,
  locked: LockedPrincipal,
): Promise<readonly CredentialRow[]> {
  requireClientProof(context, locked, "Adding a passkey");
  const known = await selectCredentials(client, locked.user.id, "passkey");
  if (known.length >= context.settings.authPasskeysPerUser) throw authError("too_many_passkeys");
  return known;
}
