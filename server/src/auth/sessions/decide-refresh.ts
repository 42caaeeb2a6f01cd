export interface RefreshFacts {
  /** How often the session was refreshed. */
  readonly counter: bigint;
  /** What the presented token says of that. */
  readonly presented: bigint;
  readonly refreshedAt: Date | null;
  readonly now: Date;
  readonly reuseSeconds: number;
}

/**
 * "advance": the current token, which is used up. "repeat": an older one of a client that lost the reply or of another
 * tab, which gets the current one again. "reuse": a token that somebody else must have kept. "impossible": a counter
 * that no session of this server has reached.
 */
export type RefreshDecision = "advance" | "repeat" | "reuse" | "impossible";

export function decideRefresh({ counter, presented, refreshedAt, now, reuseSeconds }: RefreshFacts): RefreshDecision {
  const behind = counter - presented;
  if (behind < 0n) return "impossible";
  if (behind === 0n) return "advance";
  if (behind === 1n) return "repeat";
  const isRecent = refreshedAt !== null && now.getTime() - refreshedAt.getTime() <= reuseSeconds * 1000;
  return isRecent ? "repeat" : "reuse";
}
