import { isUuid } from "@swarmbase/sdk";
import * as z from "zod";
import type { AuthContext } from "../auth-context.ts";
import { authError } from "../auth-error.ts";
import type { Queryable } from "../sql/query.ts";
import { insertPasskeyChallenge, takePasskeyChallenge } from "../sql/webauthn-challenges.ts";
import { CHALLENGE_MS, type NewChallenge, newChallenge } from "../webauthn/challenge.ts";
import { findRelyingParty, type RelyingParty, type RelyingPartyContext } from "../webauthn/relying-party.ts";

export const CHALLENGE_ID = z.string().refine(isUuid, "must be an UUID");

export function requireRelyingParty(context: RelyingPartyContext): RelyingParty {
  const party = findRelyingParty(context);
  if (party === null) throw authError("passkey_disabled");
  return party;
}

/** The body of an answer with options; `userId` is null for a sign-in. */
export async function openChallenge<Options>(
  { clock }: Pick<AuthContext, "clock">,
  client: Queryable,
  userId: string | null,
  build: (challenge: NewChallenge) => Promise<Options>,
): Promise<{ readonly challenge_id: string; readonly options: Options; readonly expires_at: number }> {
  const challenge = newChallenge();
  const expiresAt = new Date(clock.now().getTime() + CHALLENGE_MS);
  const options = await build(challenge);
  const id = await insertPasskeyChallenge(client, { userId, hash: challenge.hash, expiresAt });
  return { challenge_id: id, options, expires_at: Math.floor(expiresAt.getTime() / 1000) };
}

/** Uses the challenge up, also when the response turns out to be wrong. Returns its hash. */
export async function takeChallenge(
  { pool, clock }: Pick<AuthContext, "pool" | "clock">,
  id: string,
  userId: string | null,
): Promise<Buffer> {
  const challenge = await takePasskeyChallenge(pool, id, userId);
  if (challenge === null) throw authError("webauthn_challenge_not_found");
  if (challenge.expires_at <= clock.now()) throw authError("webauthn_challenge_expired");
  return challenge.challenge_hash;
}
