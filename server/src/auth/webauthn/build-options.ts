import type {
  PublicKeyCredentialCreationOptionsJSON,
  PublicKeyCredentialRequestOptionsJSON,
} from "@simplewebauthn/server";
import type { CredentialRow } from "../sql/webauthn-credentials.ts";
import { CHALLENGE_MS, type NewChallenge } from "./challenge.ts";
import type { RelyingParty } from "./relying-party.ts";

/** Ed25519, ECDSA with P-256, RSA with SHA-256: the identifiers of COSE. */
export const ALGORITHMS = [-8, -7, -257];

/** A passkey must be found without a user name, and must check who uses it. A second factor needs neither. */
const SELECTIONS = {
  passkey: { residentKey: "required", userVerification: "required" },
  factor: { residentKey: "discouraged", userVerification: "preferred" },
} as const;

export interface Registration {
  readonly purpose: keyof typeof SELECTIONS;
  /**
   * The id that the authenticator stores: of the user for a passkey, of the factor for a factor. Were they the same, a
   * new factor would replace the passkey on the same authenticator.
   */
  readonly handle: string;
  /** Shown by the authenticator. */
  readonly name: string;
  /** No authenticator registers a second time. */
  readonly known: readonly CredentialRow[];
}

export async function buildCreationOptions(
  party: RelyingParty,
  challenge: NewChallenge,
  { purpose, handle, name, known }: Registration,
): Promise<PublicKeyCredentialCreationOptionsJSON> {
  const { generateRegistrationOptions } = await import("@simplewebauthn/server");
  return generateRegistrationOptions({
    rpID: party.id,
    rpName: party.id,
    userID: Uint8Array.from(Buffer.from(handle)),
    userName: name,
    userDisplayName: name,
    challenge: challenge.bytes,
    timeout: CHALLENGE_MS,
    attestationType: "none",
    excludeCredentials: known.map(describeCredential),
    authenticatorSelection: { ...SELECTIONS[purpose] },
    supportedAlgorithmIDs: ALGORITHMS,
  });
}

/** Without a credential, the authenticator offers the passkeys that it has. */
export async function buildRequestOptions(
  party: RelyingParty,
  challenge: NewChallenge,
  credential?: CredentialRow,
): Promise<PublicKeyCredentialRequestOptionsJSON> {
  const { generateAuthenticationOptions } = await import("@simplewebauthn/server");
  return generateAuthenticationOptions({
    rpID: party.id,
    challenge: challenge.bytes,
    timeout: CHALLENGE_MS,
    allowCredentials: credential === undefined ? [] : [describeCredential(credential)],
    userVerification: SELECTIONS[credential === undefined ? "passkey" : "factor"].userVerification,
  });
}

function describeCredential({ credential_id: id, transports }: CredentialRow) {
  return { id: id.toString("base64url"), ...(transports.length > 0 && { transports: [...transports] }) };
}
