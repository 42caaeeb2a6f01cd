/**
 * SQLSTATE or its class → status, as in PostgREST. Four differ, because the request is the cause: 21000 (a row twice in an upsert),
 * 54 (a limit of PostgreSQL) and 55000 (writing to a view that is not updatable) are 400, and a statement timeout is 504, which
 * clients do not retry automatically.
 */
const STATUSES: Readonly<Record<string, number>> = {
  "08": 503,
  "09": 500,
  "0L": 403,
  "0P": 403,
  "21000": 400,
  "23503": 409,
  "23505": 409,
  "25": 500,
  "25006": 405,
  "28": 403,
  "2D": 500,
  "38": 500,
  "39": 500,
  "3B": 500,
  "40": 500,
  "42501": 403,
  "42883": 404,
  "42P01": 404,
  "42P17": 500,
  "53": 503,
  "53400": 500,
  "54": 400,
  "55": 500,
  "55000": 400,
  "57": 500,
  "57014": 504,
  "57P01": 503,
  "58": 500,
  F0: 500,
  HV: 500,
  P0: 500,
  P0001: 400,
  XX: 500,
};

export function statusOfState(state: string): number {
  return STATUSES[state] ?? STATUSES[state.slice(0, 2)] ?? 400;
}

/** Internal errors of PostgreSQL, whose texts are only logged. */
export function isInternalState(state: string): boolean {
  return /^(?:XX|58|F0)/.test(state);
}
