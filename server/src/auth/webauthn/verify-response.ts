import * as z from "zod";
import { isRecord } from "../../json/index.ts";
import type { AuthContext } from "../auth-context.ts";
import { insertAuditEntry } from "../sql/audit-log.ts";
import type { Queryable } from "../../db/index.ts";
import {
  type CredentialRow,
  type CredentialUse,
  insertCredential,
  type NewCredential,
  useCredential,
} from "../sql/webauthn-credentials.ts";
import { translateUniqueViolation } from "../users/create-user.ts";
import { ALGORITHMS, hashChallenge, type CredentialRegistration, type RelyingParty } from "./relying-party.ts";

/** Longer than any authenticator sends, certificates included. */
const MAX_LENGTH = 32_768;
/** 1,023 bytes, the limit of WebAuthn. */
const MAX_ID_LENGTH = 1364;
const MAX_TRANSPORTS = 16;
const TRANSPORTS: ReadonlySet<string> = new Set(["ble", "cable", "hybrid", "internal", "nfc", "smart-card", "usb"]);

const base64url = z.string().regex(/^[A-Za-z0-9_-]+$/, "must be base64url");
const ID = base64url.max(MAX_ID_LENGTH);
const DATA = base64url.max(MAX_LENGTH);
const CREDENTIAL = { id: ID, rawId: ID, type: z.literal("public-key") };
const TRANSPORT_NAMES = z.array(z.string().max(32)).max(MAX_TRANSPORTS).nullish();

/** What `navigator.credentials.create` returns, as JSON. */
export const ATTESTATION = z.object({
  ...CREDENTIAL,
  response: z.object({
    clientDataJSON: DATA,
    attestationObject: DATA,
    transports: TRANSPORT_NAMES.transform((given) => [...new Set(given ?? [])].filter((name) => TRANSPORTS.has(name))),
  }),
});

/** What `navigator.credentials.get` returns, as JSON. */
export const ASSERTION = z.object({
  ...CREDENTIAL,
  response: z.object({
    clientDataJSON: DATA,
    authenticatorData: DATA,
    signature: DATA,
    userHandle: z.string().max(128).nullish(),
  }),
});

type Attestation = z.output<typeof ATTESTATION>;
type Assertion = z.output<typeof ASSERTION>;

const MAX_KEY_BYTES = 2048;
const MAX_REASON_LENGTH = 200;

type VerifyContext = Pick<AuthContext, "observer" | "clock">;

interface Response<Credential> {
  readonly credential: Credential;
  readonly challengeHash: Buffer;
}

/** Returns what to store of a new credential, or null when the response is not valid. */
export function verifyAttestation(
  context: VerifyContext,
  party: RelyingParty,
  { credential, challengeHash, purpose }: Response<Attestation> & Pick<CredentialRegistration, "purpose">,
): Promise<Omit<NewCredential, "user_id" | "factor_id"> | null> {
  return unlessRefused(context, credential, async () => {
    const { verifyRegistrationResponse } = await import("@simplewebauthn/server");
    const { verified, registrationInfo: info } = await verifyRegistrationResponse({
      response: await dropStatement(credential),
      ...expectationsOf(party, challengeHash),
      requireUserVerification: purpose === "passkey",
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
  { credential, challengeHash, stored }: Response<Assertion> & { readonly stored: CredentialRow },
): Promise<CredentialUse | null> {
  const { userHandle: _, ...response } = credential.response;
  return unlessRefused(context, credential, async () => {
    const { verifyAuthenticationResponse } = await import("@simplewebauthn/server");
    const { verified, authenticationInfo: info } = await verifyAuthenticationResponse({
      response: { ...credential, response, clientExtensionResults: {} },
      ...expectationsOf(party, challengeHash),
      requireUserVerification: stored.factor_id === null,
      // The library compares the counter before the signature, so that anybody could make the service report a copy.
      credential: { id: credential.id, publicKey: Uint8Array.from(stored.public_key), counter: 0 },
    });
    if (!verified) throw new Error("the signature is not valid");
    return { signCount: info.newCounter, isBackedUp: info.credentialBackedUp, now: context.clock.now() };
  });
}

function expectationsOf(party: RelyingParty, challengeHash: Buffer) {
  const expectedChallenge = (given: string): boolean => hashChallenge(given).equals(challengeHash);
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

interface RecordedUse {
  readonly credential: CredentialRow;
  readonly use: CredentialUse;
  /** Of a second factor. */
  readonly sessionId: string | null;
  readonly address: string;
}

/** False when the counter went back. The caller must commit, so that the entry of the audit log stays. */
export async function recordUse(
  { observer }: Pick<AuthContext, "observer">,
  client: Queryable,
  { credential, use, sessionId, address }: RecordedUse,
): Promise<boolean> {
  const { id: credentialId, user_id: userId } = credential;
  if (await useCredential(client, credentialId, use)) return true;
  await insertAuditEntry(client, { action: "passkey_counter_rejected", userId, sessionId, address });
  observer.note("passkey.counter_rejected", { userId, credentialId, address });
  return false;
}

/** Throws `webauthn_credential_exists` for one that is registered, which can be that of another user. */
export function storeCredential(client: Queryable, credential: NewCredential): Promise<CredentialRow> {
  return insertCredential(client, credential).catch((error: unknown) => {
    throw translateUniqueViolation(error);
  });
}
