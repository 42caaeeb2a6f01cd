/**
 * Bounds of one request. Each lies far above what clients send, and below what would overflow the stack or a limit of PostgreSQL
 * that it reports as a server error (columns of a result, parameters).
 */
export const BOUNDS = {
  queryLength: 4 * 1024 * 1024,
  parameters: 10_000,
  /** Of embeds in `select`, of logic trees, of embed paths in names, and steps of a JSON path. */
  nesting: 50,
  selectItems: 1200,
  orderTerms: 200,
  conditions: 10_000,
  listElements: 100_000,
  /** A longer identifier cannot exist in PostgreSQL. */
  csvColumnNameBytes: 63,
} as const;
