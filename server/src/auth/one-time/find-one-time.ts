import { inTransaction } from "../../db/index.ts";
import { authError } from "../auth-error.ts";
import type { AuthContext } from "../auth-context.ts";
import type { OneTimeKind } from "./one-time-kind.ts";
import { buildTokenHash, hashTokenHash, isSameHash } from "./one-time-secret.ts";
import { claimAttempts, findOneTimeByHash, type OneTimeRow } from "./sql/one-time-tokens.ts";

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
