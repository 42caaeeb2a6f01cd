import type { AuthContext } from "../auth-context.ts";
import type { Queryable } from "../../db/index.ts";
import { authError } from "../auth-error.ts";
import {
  claimAttempts,
  findOneTimeByHash,
  type OneTimeKind,
  type OneTimeRow,
  takeOneTime,
} from "../sql/one-time-tokens.ts";
import type { UserRow } from "../sql/user-row.ts";
import { buildTokenHash, hashTokenHash, isSameHash } from "./one-time-secret.ts";

/** Wrong codes per token. The link, which cannot be guessed, stays valid. */
const MAX_ATTEMPTS = 5;
/** Wrong codes per address and kind, over all tokens. */
const MAX_ATTEMPTS_IN_HOUR = 20;

interface PresentedCode {
  readonly relatesTo: string;
  readonly code: string;
  readonly kinds: readonly OneTimeKind[];
  readonly userId?: string;
}

/** Commits at once: the attempt must be counted even when a transaction of the endpoint rolls back. */
export async function findOneTimeByCode(context: AuthContext, presented: PresentedCode): Promise<OneTimeRow | null> {
  const { code, ...scope } = presented;
  const candidates = await claimAttempts(context.pool, {
    ...scope,
    maxAttempts: MAX_ATTEMPTS,
    maxAttemptsInHour: MAX_ATTEMPTS_IN_HOUR,
    now: context.clock.now(),
  });
  const hits = candidates.filter((row) => {
    const tokenHash = buildTokenHash(context.masterKey, { ...row, isPkce: row.flow_state_id !== null }, code);
    return isSameHash(hashTokenHash(tokenHash), row.token_hash);
  });
  return hits[0] ?? null;
}

export function findOneTimeByLink(
  context: AuthContext,
  tokenHash: string,
  kinds: readonly OneTimeKind[],
): Promise<OneTimeRow | null> {
  return findOneTimeByHash(context.pool, { tokenHash: hashTokenHash(tokenHash), kinds, now: context.clock.now() });
}

export const LINK_ERROR_MESSAGE = "Email link is invalid or has expired";

/** One error for a token that is wrong, used, expired, tried too often or unknown. */
export function oneTimeError(message?: string): Error {
  return authError("otp_expired", message);
}

/**
 * Finds the token of a nonce; a wrong nonce is counted. Runs before the caller's transaction begins, because waiting
 * for a second connection while holding one can deadlock.
 */
export async function findReauthentication(
  context: AuthContext,
  { user, nonce }: { readonly user: Pick<UserRow, "email" | "id">; readonly nonce: string },
): Promise<OneTimeRow | null> {
  if (user.email === null || nonce === "") return null;
  const kinds = ["reauthentication"] as const;
  return findOneTimeByCode(context, { relatesTo: user.email, code: nonce, kinds, userId: user.id });
}

/** Uses the token up in the caller's transaction. */
export async function consumeReauthentication(
  client: Queryable,
  { user, found }: { readonly user: Pick<UserRow, "email" | "id">; readonly found: OneTimeRow | null },
): Promise<void> {
  const isOfUser = found !== null && found.user_id === user.id && found.relates_to === user.email;
  if (!isOfUser || (await takeOneTime(client, found.id)) === null) throw authError("reauthentication_not_valid");
}
