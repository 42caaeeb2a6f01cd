/**
 * SQLSTATE or its class → status, as in PostgREST. Four differ, because the request is the cause: 21000 (a row twice in an upsert),
 * 54 (a limit of PostgreSQL) and 55000 (writing to a view that is not updatable) are 400, and a statement timeout is 504, which
 * clients do not retry automatically. Conflicts with another transaction (a lock timeout, a deadlock, a serialization failure)
 * are 503, because the same request may succeed later.
 */
const STATES: readonly (readonly [status: number, states: readonly string[]])[] = [
  [400, ["21000", "54", "55000", "P0001"]],
  [403, ["0L", "0P", "28", "42501"]],
  [404, ["42883", "42P01"]],
  [405, ["25006"]],
  [409, ["23503", "23505"]],
  [500, ["09", "25", "2D", "38", "39", "3B", "40", "42P17", "53400", "55", "57", "58", "F0", "HV", "P0", "XX"]],
  [503, ["08", "40001", "40P01", "53", "55P03", "57P01"]],
  [504, ["57014"]],
];

const STATUSES = new Map(STATES.flatMap(([status, states]) => states.map((state) => [state, status])));

export function statusOfState(state: string): number {
  return STATUSES.get(state) ?? STATUSES.get(state.slice(0, 2)) ?? 400;
}

/** Internal errors of PostgreSQL, whose texts are only logged. */
export function isInternalState(state: string): boolean {
  return /^(?:XX|58|F0)/.test(state);
}
