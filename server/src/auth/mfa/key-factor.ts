import * as z from "zod";
import type { AuthContext } from "../auth-context.ts";
import { authError } from "../auth-error.ts";
import type { ChallengeRow } from "../sql/mfa-challenges.ts";
import type { Queryable } from "../sql/query.ts";
import type { FactorRow, UserRow } from "../sql/user-row.ts";
import { type CredentialRow, selectCredentials } from "../sql/webauthn-credentials.ts";
import { buildCreationOptions, buildRequestOptions } from "../webauthn/build-options.ts";
import { newChallenge } from "../webauthn/challenge.ts";
import { ASSERTION, ATTESTATION } from "../webauthn/credential-schemas.ts";
import { recordUse } from "../webauthn/record-use.ts";
import { findRelyingParty, type RelyingParty, type RelyingPartyContext } from "../webauthn/relying-party.ts";
import { storeCredential } from "../webauthn/store-credential.ts";
import { verifyAssertion, verifyAttestation } from "../webauthn/verify-response.ts";
import type { PassedFactor } from "./raise-session.ts";

/** What the client sends beside it is ignored: the settings say which relying party and origins there are. */
export const KEY_RESPONSE = z.discriminatedUnion("type", [
  z.object({ type: z.literal("create"), credential_response: ATTESTATION }),
  z.object({ type: z.literal("request"), credential_response: ASSERTION }),
]);

/** The part of a challenge that WebAuthn adds: a new factor gets its credential, another one shows that it has it. */
export async function openKeyChallenge(
  context: AuthContext,
  client: Queryable,
  { user, factor }: { readonly user: UserRow; readonly factor: FactorRow },
): Promise<{ readonly hash: Buffer; readonly webauthn: object }> {
  const party = requireParty(context);
  const challenge = newChallenge();
  const known = await selectCredentials(client, user.id, "factor");
  const own = findOwn(known, factor);
  const registration = { purpose: "factor", handle: factor.id, name: user.email ?? user.id, known } as const;
  const publicKey =
    own === undefined
      ? await buildCreationOptions(party, challenge, registration)
      : await buildRequestOptions(party, challenge, own);
  const type = own === undefined ? "create" : "request";
  return { hash: challenge.hash, webauthn: { type, credential_options: { publicKey } } };
}

export interface FactorProof {
  readonly method: PassedFactor["method"];
  /** Of a code. */
  readonly usedStep: number | null;
}

export interface KeyAttempt {
  readonly factor: FactorRow;
  readonly challenge: ChallengeRow;
  readonly response: z.output<typeof KEY_RESPONSE> | undefined;
  readonly sessionId: string;
  /** The client's. */
  readonly address: string;
}

/** Returns null when the response is not valid. A valid first one stores the credential of the factor. */
export async function checkKey(
  context: AuthContext,
  client: Queryable,
  { factor, challenge, response, sessionId, address }: KeyAttempt,
): Promise<FactorProof | null> {
  const party = requireParty(context);
  const stored = findOwn(await selectCredentials(client, factor.user_id, "factor"), factor);
  const expected = stored === undefined ? "create" : "request";
  if (response?.type !== expected) throw authError("validation_failed", `webauthn.type must be ${expected}`);
  if (challenge.challenge_hash === null) return null;
  const check = { challengeHash: challenge.challenge_hash };
  if (response.type === "create") {
    const attestation = { ...check, purpose: "factor", credential: response.credential_response } as const;
    const verified = await verifyAttestation(context, party, attestation);
    if (verified === null) return null;
    await storeCredential(client, { ...verified, user_id: factor.user_id, factor_id: factor.id });
  } else {
    const credential = response.credential_response;
    if (stored === undefined || stored.credential_id.toString("base64url") !== credential.id) return null;
    const use = await verifyAssertion(context, party, { ...check, credential, stored });
    if (use === null) return null;
    if (!(await recordUse(context, client, { credential: stored, use, sessionId, address }))) return null;
  }
  return { method: "mfa/webauthn", usedStep: null };
}

function findOwn(known: readonly CredentialRow[], factor: FactorRow): CredentialRow | undefined {
  return known.find(({ factor_id }) => factor_id === factor.id);
}

function requireParty(context: RelyingPartyContext): RelyingParty {
  const party = findRelyingParty(context);
  if (party === null) throw authError("mfa_webauthn_verify_not_enabled");
  return party;
}
