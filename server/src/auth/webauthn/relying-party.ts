import { createHash } from "node:crypto";
import type { generateAuthenticationOptions, generateRegistrationOptions } from "@simplewebauthn/server";
import { isPageOf, isRelyingPartyId } from "../../config/index.ts";
import type { AuthContext } from "../auth-context.ts";
import { type AuthErrorCode, authError } from "../auth-error.ts";
import { siteUrlOf } from "../one-time/links.ts";
import type { CredentialRow } from "../sql/webauthn-credentials.ts";

/** As which the service uses WebAuthn. */
export interface RelyingParty {
  /** The domain that browsers bind credentials to. */
  readonly id: string;
  readonly origins: readonly string[];
}

interface RelyingPartyContext extends Pick<AuthContext, "baseUrl"> {
  readonly settings: Pick<
    AuthContext["settings"],
    "authPasskeysRpId" | "authPasskeysOrigins" | "siteUrl" | "redirectAllowList"
  >;
}

/** Null where browsers have no WebAuthn: on pages of an IP address, and on pages without TLS except those of localhost. */
export function findRelyingParty(context: RelyingPartyContext): RelyingParty | null {
  const { authPasskeysRpId, authPasskeysOrigins } = context.settings;
  const site = siteUrlOf(context);
  const id = (authPasskeysRpId ?? URL.parse(site)?.hostname ?? "").toLowerCase();
  if (!isRelyingPartyId(id)) return null;
  const pages = authPasskeysOrigins ?? [site, context.baseUrl];
  const origins = new Set(pages.filter((page) => isPageOf(id, page)).map((page) => new URL(page).origin));
  return origins.size === 0 ? null : { id, origins: [...origins] };
}

export function requireRelyingParty(context: RelyingPartyContext, otherwise: AuthErrorCode): RelyingParty {
  const party = findRelyingParty(context);
  if (party === null) throw authError(otherwise);
  return party;
}

export const CHALLENGE_MS = 300 * 1000;

/** Ed25519, ECDSA with P-256, RSA with SHA-256: the identifiers of COSE. */
export const ALGORITHMS = [-8, -7, -257];

/** A passkey must be found without a user name, and must check who uses it. A second factor needs neither. */
const SELECTIONS = {
  passkey: { residentKey: "required", userVerification: "required" },
  factor: { residentKey: "discouraged", userVerification: "preferred" },
} as const;

export interface CredentialRegistration {
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

/** Options for the browser, and the hash of their challenge, which the database keeps. */
interface Challenge<Options extends (...given: never[]) => unknown> {
  readonly options: Awaited<ReturnType<Options>>;
  readonly hash: Buffer;
}

export async function challengeCreation(
  { id }: RelyingParty,
  { purpose, handle, name, known }: CredentialRegistration,
): Promise<Challenge<typeof generateRegistrationOptions>> {
  const library = await import("@simplewebauthn/server");
  const options = await library.generateRegistrationOptions({
    rpID: id,
    rpName: id,
    userID: Uint8Array.from(Buffer.from(handle)),
    userName: name,
    userDisplayName: name,
    timeout: CHALLENGE_MS,
    attestationType: "none",
    excludeCredentials: known.map(describeCredential),
    authenticatorSelection: { ...SELECTIONS[purpose] },
    supportedAlgorithmIDs: ALGORITHMS,
  });
  return { options, hash: hashChallenge(options.challenge) };
}

/** Without a credential, the authenticator offers the passkeys that it has. */
export async function challengeUse(
  { id }: RelyingParty,
  credential?: CredentialRow,
): Promise<Challenge<typeof generateAuthenticationOptions>> {
  const library = await import("@simplewebauthn/server");
  const options = await library.generateAuthenticationOptions({
    rpID: id,
    timeout: CHALLENGE_MS,
    allowCredentials: credential === undefined ? [] : [describeCredential(credential)],
    userVerification: SELECTIONS[credential === undefined ? "passkey" : "factor"].userVerification,
  });
  return { options, hash: hashChallenge(options.challenge) };
}

function describeCredential({ credential_id: id, transports }: CredentialRow) {
  return { id: id.toString("base64url"), ...(transports.length > 0 && { transports: [...transports] }) };
}

export function hashChallenge(challenge: string): Buffer {
  return createHash("sha256").update(challenge).digest();
}
