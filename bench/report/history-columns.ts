/** The main ratios, in the order of the columns. A goal names the column that shows its value. */
export const HISTORY_COLUMNS = [
  "read one: CPU to bare",
  "insert: CPU to bare",
  "insert: PostgreSQL, µs",
  "read one to Express",
  "insert to Express",
  "read one to PocketBase",
  "insert to PocketBase, FULL",
  "write to delivery: CPU, ms",
  "deliveries to pg-boss",
  "deliveries to bare POSTs",
  "idle, MB",
] as const;
export type HistoryColumn = (typeof HISTORY_COLUMNS)[number];
