import type { SettingRow } from "./setting-row.ts";

/** What is served as tables, and how far one request may go. */
export const TABLE_SETTINGS = [
  {
    name: "DB_SCHEMAS",
    group: "Tables",
    kind: "names",
    default: ["public"],
    secret: false,
    description:
      "Schemas whose tables, views and functions are served under `/rest/v1`; the first is meant when a request names none.",
  },
  {
    name: "DB_MAX_ROWS",
    group: "Tables",
    kind: "integer",
    min: 0,
    max: 1_000_000,
    default: 1000,
    secret: false,
    description: "Most rows of one answer; 0 is no limit. An answer that was cut is a 206 and says where it ends.",
  },
  {
    name: "DB_STATEMENT_TIMEOUT_MS",
    group: "Tables",
    kind: "integer",
    min: 10,
    max: 600_000,
    default: 8_000,
    secret: false,
    description: "Time that the statement of one request may take in the database, in milliseconds.",
  },
  {
    name: "DB_PLAN_ENABLED",
    group: "Tables",
    kind: "boolean",
    default: false,
    secret: false,
    description:
      "Whether `Accept: application/vnd.pgrst.plan` shows execution plans. They tell about rows that a caller may not see.",
  },
  {
    name: "DB_TX_OVERRIDE",
    group: "Tables",
    kind: "boolean",
    default: false,
    secret: false,
    description: "Whether `Prefer: tx=rollback` is honoured: everything is done and answered, and then taken back.",
  },
] as const satisfies readonly SettingRow[];
