/**
 * How long a test waits for a condition. Only a test that fails waits so long: the limit covers a loaded machine that is several
 * times slower, and is less than the time limit of a test, so that the message names the condition.
 */
export const WAIT_MS = 40_000;

/** The options of a test that starts several programs one after the other: on a busy machine each start takes a minute. */
export const SEVERAL_STARTS = { timeout: 900_000 };
