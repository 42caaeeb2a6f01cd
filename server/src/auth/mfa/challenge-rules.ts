export const CHALLENGE_MS = 300 * 1000;

/** Wrong codes that one challenge bears. */
export const MAX_CHALLENGE_FAILURES = 5;

/**
 * Wrong codes that a factor bears over all its challenges, so that asking for new challenges does not buy more guesses.
 * They are remembered for this long after the challenge has run out.
 */
export const MAX_FACTOR_FAILURES = 10;
export const FAILURE_MEMORY_MS = 300 * 1000;
