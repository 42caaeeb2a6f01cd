import { isRecord } from "../../json/index.ts";
import type { AuthContext } from "../auth-context.ts";
import type { CredentialRow, CredentialUse, NewCredential } from "../sql/webauthn-credentials.ts";
import { ALGORITHMS, type Registration } from "./build-options.ts";
import { expectChallenge } from "./challenge.ts";
import type { Assertion, Attestation } from "./credential-schemas.ts";
import type { RelyingParty } from "./relying-party.ts";

const MAX_KEY_BYTES = 2048;
const MAX_REASON_LENGTH = 200;

type VerifyContext = Pick<AuthContext, "observer" | "clock">;

/** Returns what to store of a new credential, or null when the response is not valid. */
export function verifyAttestation(
  context: VerifyContext,
  party: RelyingParty,
  check: {
    readonly credential: Attestation;
    readonly challengeHash: Buffer;
    readonly purpose: Registration["purpose"];
  },
): Promise<Omit<NewCredential, "user_id" | "factor_id"> | null> {
  const { credential } = check;
  return unlessRefused(context, credential, async () => {
    const { verifyRegistrationResponse } = await import("@simplewebauthn/server");
    const { verified, registrationInfo: info } = await verifyRegistrationResponse({
      response: await dropStatement(credential),
      ...expectationsOf(party, check.challengeHash),
      requireUserVerification: check.purpose === "passkey",
      supportedAlgorithmIDs: ALGORITHMS,
    });
    if (!verified) throw new Error("the attestation is not valid");
    if (info.credential.publicKey.length > MAX_KEY_BYTES) throw new Error("the public key is too long");
    if (info.credential.id !== credential.id) throw new Error("the response names another credential");
    return {
      credential_id: Buffer.from(info.credential.id, "base64url"),
      public_key: Buffer.from(info.credential.publicKey),
      sign_count: String(info.credential.counter),
      transports: credential.response.transports,
      aaguid: info.aaguid,
      is_backed_up: info.credentialBackedUp,
    };
  });
}

/** Returns what to record of the use, or null when the response is not valid. `recordUse` checks the counter. */
export function verifyAssertion(
  context: VerifyContext,
  party: RelyingParty,
  check: { readonly credential: Assertion; readonly challengeHash: Buffer; readonly stored: CredentialRow },
): Promise<CredentialUse | null> {
  const { credential, stored } = check;
  const { userHandle: _, ...response } = credential.response;
  return unlessRefused(context, credential, async () => {
    const { verifyAuthenticationResponse } = await import("@simplewebauthn/server");
    const { verified, authenticationInfo: info } = await verifyAuthenticationResponse({
      response: { ...credential, response, clientExtensionResults: {} },
      ...expectationsOf(party, check.challengeHash),
      requireUserVerification: stored.factor_id === null,
      // The library compares the counter before the signature, so that anybody could make the service report a copy.
      credential: { id: credential.id, publicKey: Uint8Array.from(stored.public_key), counter: 0 },
    });
    if (!verified) throw new Error("the signature is not valid");
    return { signCount: info.newCounter, isBackedUp: info.credentialBackedUp, now: context.clock.now() };
  });
}

function expectationsOf(party: RelyingParty, challengeHash: Buffer) {
  const expectedChallenge = expectChallenge(challengeHash);
  return { expectedChallenge, expectedOrigin: [...party.origins], expectedRPID: party.id };
}

/** The log tells operators what the caller is not told, such as an origin that is missing in the settings. */
async function unlessRefused<T>(
  { observer }: VerifyContext,
  { response: { clientDataJSON } }: Attestation | Assertion,
  verify: () => Promise<T>,
): Promise<T | null> {
  try {
    if (!isOwnPage(clientDataJSON)) throw new Error("the page was framed by another one");
    return await verify();
  } catch (error) {
    const reason = error instanceof Error ? error.message.slice(0, MAX_REASON_LENGTH) : "unknown";
    observer.note("passkey.refused", { reason });
    return null;
  }
}

/** Whether no page of another origin framed the page that asked for the response. The library does not check every case. */
function isOwnPage(clientDataJSON: string): boolean {
  const clientData: unknown = JSON.parse(Buffer.from(clientDataJSON, "base64url").toString());
  return isRecord(clientData) && clientData["crossOrigin"] !== true && clientData["topOrigin"] === undefined;
}

/**
 * The service asks for no statement about the model of an authenticator and trusts none. The library would verify one that
 * comes anyway, and for that open addresses that its certificates name.
 */
async function dropStatement({ response, ...credential }: Attestation) {
  const { decodeAttestationObject, isoBase64URL, isoCBOR } = await import("@simplewebauthn/server/helpers");
  const decoded = decodeAttestationObject(isoBase64URL.toBuffer(response.attestationObject));
  const bare = new Map<string, string | Uint8Array | Map<string, string>>([
    ["fmt", "none"],
    ["attStmt", new Map()],
    ["authData", decoded.get("authData")],
  ]);
  const attestationObject = isoBase64URL.fromBuffer(isoCBOR.encode(bare));
  const { clientDataJSON } = response;
  return { ...credential, response: { clientDataJSON, attestationObject }, clientExtensionResults: {} };
}
