import * as z from "zod";
import type { AuthContext } from "../auth-context.ts";
import { authError } from "../auth-error.ts";
import type { ChallengeRow } from "../sql/mfa-challenges.ts";
import type { Queryable } from "../../db/index.ts";
import type { FactorRow, UserRow } from "../sql/user-row.ts";
import { type CredentialRow, selectCredentials } from "../sql/webauthn-credentials.ts";
import { challengeCreation, challengeUse, requireRelyingParty } from "../webauthn/relying-party.ts";
import {
  ASSERTION,
  ATTESTATION,
  recordUse,
  storeCredential,
  verifyAssertion,
  verifyAttestation,
} from "../webauthn/verify-response.ts";
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
  const party = requireRelyingParty(context, "mfa_webauthn_verify_not_enabled");
  const known = await selectCredentials(client, user.id, "factor");
  const own = findOwn(known, factor);
  const registration = { purpose: "factor", handle: factor.id, name: user.email ?? user.id, known } as const;
  const { hash, options: publicKey } =
    own === undefined ? await challengeCreation(party, registration) : await challengeUse(party, own);
  return { hash, webauthn: { type: own === undefined ? "create" : "request", credential_options: { publicKey } } };
}

export interface FactorProof {
  readonly method: PassedFactor["method"];
  /** Of a code. */
  readonly usedStep: number | null;
}

interface KeyAttempt {
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
  const party = requireRelyingParty(context, "mfa_webauthn_verify_not_enabled");
  const stored = findOwn(await selectCredentials(client, factor.user_id, "factor"), factor);
  const expected = stored === undefined ? "create" : "request";
  if (response?.type !== expected) throw authError("validation_failed", `webauthn.type must be ${expected}`);
  const { challenge_hash: challengeHash } = challenge;
  if (challengeHash === null) return null;
  if (response.type === "create") {
    const { credential_response: credential } = response;
    const verified = await verifyAttestation(context, party, { credential, challengeHash, purpose: "factor" });
    if (verified === null) return null;
    await storeCredential(client, { ...verified, user_id: factor.user_id, factor_id: factor.id });
  } else {
    const { credential_response: credential } = response;
    if (stored === undefined || stored.credential_id.toString("base64url") !== credential.id) return null;
    const use = await verifyAssertion(context, party, { credential, challengeHash, stored });
    if (use === null) return null;
    if (!(await recordUse(context, client, { credential: stored, use, sessionId, address }))) return null;
  }
  return { method: "mfa/webauthn", usedStep: null };
}

function findOwn(known: readonly CredentialRow[], factor: FactorRow): CredentialRow | undefined {
  return known.find(({ factor_id }) => factor_id === factor.id);
}
