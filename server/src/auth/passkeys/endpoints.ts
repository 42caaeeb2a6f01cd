import * as z from "zod";
import { inTransaction, type Queryable } from "../../db/index.ts";
import type { AuthContext } from "../auth-context.ts";
import { authError } from "../auth-error.ts";
import type { AuthCall, AuthEndpoint, AuthResponse } from "../call.ts";
import { type LockedPrincipal, lockPrincipal } from "../mfa/lock-principal.ts";
import { getPathId, parseAuthBody, UUID_TEXT } from "../parse-call.ts";
import { finishSession, issueSession } from "../sessions/issue-session.ts";
import { requireClientProof } from "../sessions/recent-proof.ts";
import { lockUser } from "../sql/users.ts";
import {
  type CredentialRow,
  deletePasskey,
  findPasskey,
  insertPasskeyChallenge,
  renamePasskey,
  selectCredentials,
  takePasskeyChallenge,
} from "../sql/webauthn-credentials.ts";
import { requireSignInAllowed } from "../users/account-rules.ts";
import { recordChange } from "../users/record-change.ts";
import { CHALLENGE_MS, challengeCreation, challengeUse, requireRelyingParty } from "../webauthn/relying-party.ts";
import {
  ASSERTION,
  ATTESTATION,
  recordUse,
  storeCredential,
  verifyAssertion,
  verifyAttestation,
} from "../webauthn/verify-response.ts";

const PASSKEY_BODY = z.object({
  friendly_name: z
    .string()
    .trim()
    .min(1)
    .max(120)
    .refine((name) => !/\p{Cc}/u.test(name), "must not hold control characters"),
});

/** GET /passkeys */
async function listPasskeys(context: AuthContext, { principal }: AuthCall): Promise<AuthResponse> {
  if (principal.role !== "authenticated") throw authError("no_authorization");
  return { status: 200, body: (await selectCredentials(context.pool, principal.userId, "passkey")).map(renderPasskey) };
}

/** PATCH /passkeys/:id */
async function updatePasskey(context: AuthContext, call: AuthCall): Promise<AuthResponse> {
  const { principal, params } = call;
  if (principal.role !== "authenticated") throw authError("no_authorization");
  const id = getPathId(params, "id", "passkey_id");
  const { friendly_name: name } = parseAuthBody(PASSKEY_BODY, call);
  const renamed = await renamePasskey(context.pool, { userId: principal.userId, id, name });
  if (renamed === null) throw authError("webauthn_credential_not_found");
  return { status: 200, body: renderPasskey(renamed) };
}

/** DELETE /passkeys/:id */
async function removePasskey(context: AuthContext, call: AuthCall): Promise<AuthResponse> {
  const id = getPathId(call.params, "id", "passkey_id");
  await inTransaction(context.pool, async (client) => {
    const { user, session } = await lockPrincipal(client, call);
    requireClientProof(context, { user, session }, "Removing a passkey");
    if (!(await deletePasskey(client, user.id, id))) throw authError("webauthn_credential_not_found");
    const { address } = call;
    await recordChange(context, client, { action: "passkey_removed", user, sessionId: session.id, address });
  });
  return { status: 204 };
}

/** Renders the passkey for clients, which expect absent members in place of null. */
export function renderPasskey(row: CredentialRow): Readonly<Record<string, unknown>> {
  return {
    id: row.id,
    friendly_name: row.friendly_name ?? undefined,
    created_at: row.created_at,
    last_used_at: row.last_used_at ?? undefined,
  };
}

const REGISTRATION_BODY = z.object({ challenge_id: UUID_TEXT, credential: ATTESTATION });

/** POST /passkeys/registration/options */
async function startRegistration(context: AuthContext, call: AuthCall): Promise<AuthResponse> {
  const party = requireRelyingParty(context, "passkey_disabled");
  const body = await inTransaction(context.pool, async (client) => {
    const locked = await lockPrincipal(client, call);
    const known = await checkAddition(context, client, locked);
    const { id: handle, email } = locked.user;
    const built = await challengeCreation(party, { purpose: "passkey", handle, name: email ?? handle, known });
    return openChallenge(context, client, handle, built);
  });
  return { status: 200, body };
}

/** POST /passkeys/registration/verify */
async function finishRegistration(context: AuthContext, call: AuthCall): Promise<AuthResponse> {
  const party = requireRelyingParty(context, "passkey_disabled");
  const { challenge_id: challengeId, credential } = parseAuthBody(REGISTRATION_BODY, call);
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

/** The body of an answer with options; `userId` is null for a sign-in. */
async function openChallenge(
  { clock }: AuthContext,
  client: Queryable,
  userId: string | null,
  { options, hash }: { readonly options: object; readonly hash: Buffer },
): Promise<object> {
  const expiresAt = new Date(clock.now().getTime() + CHALLENGE_MS);
  const id = await insertPasskeyChallenge(client, { userId, hash, expiresAt });
  return { challenge_id: id, options, expires_at: Math.floor(expiresAt.getTime() / 1000) };
}

/** Uses the challenge up, also when the response turns out to be wrong. Returns its hash. */
async function takeChallenge({ pool, clock }: AuthContext, id: string, userId: string | null): Promise<Buffer> {
  const challenge = await takePasskeyChallenge(pool, id, userId);
  if (challenge === null) throw authError("webauthn_challenge_not_found");
  if (challenge.expires_at <= clock.now()) throw authError("webauthn_challenge_expired");
  return challenge.challenge_hash;
}

const SIGN_IN_BODY = z.object({ challenge_id: UUID_TEXT, credential: ASSERTION });

/** POST /passkeys/authentication/options: names no credential, so that it tells nothing about accounts. */
async function startPasskeySignIn(context: AuthContext): Promise<AuthResponse> {
  const party = requireRelyingParty(context, "passkey_disabled");
  return { status: 200, body: await openChallenge(context, context.pool, null, await challengeUse(party)) };
}

/** POST /passkeys/authentication/verify. Until the signature is verified, every error is the same. */
async function finishPasskeySignIn(context: AuthContext, call: AuthCall): Promise<AuthResponse> {
  const party = requireRelyingParty(context, "passkey_disabled");
  const { challenge_id: challengeId, credential } = parseAuthBody(SIGN_IN_BODY, call);
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

const SIGN_IN = { method: "POST", access: "apikey" } as const;
const USER = { access: "user", limit: "api" } as const;

export const passkeyEndpoints: readonly AuthEndpoint[] = [
  { ...USER, method: "GET", path: "/passkeys", run: listPasskeys },
  { ...USER, method: "PATCH", path: "/passkeys/:id", body: PASSKEY_BODY, run: updatePasskey },
  { ...USER, method: "DELETE", path: "/passkeys/:id", run: removePasskey },
  { ...USER, method: "POST", path: "/passkeys/registration/options", run: startRegistration },
  { ...USER, method: "POST", path: "/passkeys/registration/verify", body: REGISTRATION_BODY, run: finishRegistration },
  { ...SIGN_IN, path: "/passkeys/authentication/options", limit: "api", run: startPasskeySignIn },
  { ...SIGN_IN, path: "/passkeys/authentication/verify", limit: "auth", body: SIGN_IN_BODY, run: finishPasskeySignIn },
];
