import { inTransaction } from "../../db/index.ts";
import type { AuthContext, Queryable } from "../auth-context.ts";
import { authError } from "../auth-error.ts";
import { claimAttempts, findOneTimeByHash, type OneTimeRow, takeOneTime } from "../sql/one-time-tokens.ts";
import type { UserRow } from "../users/user-row.ts";
import type { OneTimeKind } from "./one-time-kind.ts";
import { buildTokenHash, hashTokenHash, isSameHash } from "./one-time-secret.ts";

/** Wrong codes that a token bears. Its link, which cannot be guessed, stays good. */
const MAX_ATTEMPTS = 5;
/** The same over all codes of one kind that an address asks for. */
const MAX_ATTEMPTS_IN_HOUR = 20;

export interface PresentedCode {
  readonly relatesTo: string;
  readonly code: string;
  readonly kinds: readonly OneTimeKind[];
  readonly userId?: string;
}

/** In a transaction of its own: what follows may fail and be taken back, the attempt may not. */
export async function findOneTimeByCode(context: AuthContext, presented: PresentedCode): Promise<OneTimeRow | null> {
  const { code, ...scope } = presented;
  const candidates = await inTransaction(context.pool, (client) =>
    claimAttempts(client, {
      ...scope,
      maxAttempts: MAX_ATTEMPTS,
      maxAttemptsInHour: MAX_ATTEMPTS_IN_HOUR,
      now: context.clock.now(),
    }),
  );
  const hits = candidates.filter((row) => {
    const tokenHash = buildTokenHash(context.masterKey, { ...row, isPkce: row.flow_state_id !== null }, code);
    return isSameHash(hashTokenHash(tokenHash), row.token_hash);
  });
  return hits[0] ?? null;
}

export async function findOneTimeByLink(
  context: AuthContext,
  tokenHash: string,
  kinds: readonly OneTimeKind[],
): Promise<OneTimeRow | null> {
  return inTransaction(context.pool, (client) =>
    findOneTimeByHash(client, { tokenHash: hashTokenHash(tokenHash), kinds, now: context.clock.now() }),
  );
}

export const LINK_REFUSED = "Email link is invalid or has expired";

/** One refusal for what is wrong, used up, too old, tried too often and never was. */
export function refuseOneTime(message?: string): Error {
  return authError("otp_expired", message);
}

/**
 * What the nonce is worth; a wrong one counts whatever becomes of the rest. Asked before the transaction that needs it
 * begins: whoever waits for a second connection while holding a first can wait for somebody who does the same.
 */
export async function findReauthentication(
  context: AuthContext,
  { user, nonce }: { readonly user: Pick<UserRow, "email" | "id">; readonly nonce: string },
): Promise<OneTimeRow | null> {
  if (user.email === null || nonce === "") return null;
  const kinds = ["reauthentication"] as const;
  return findOneTimeByCode(context, { relatesTo: user.email, code: nonce, kinds, userId: user.id });
}

/** Uses it up with the caller's transaction. */
export async function consumeReauthentication(
  client: Queryable,
  { user, found }: { readonly user: Pick<UserRow, "email" | "id">; readonly found: OneTimeRow | null },
): Promise<void> {
  const isOfUser = found !== null && found.user_id === user.id && found.relates_to === user.email;
  if (!isOfUser || (await takeOneTime(client, found.id)) === null) throw authError("reauthentication_not_valid");
}
