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
      "Schemas whose tables, views and functions are served under `/rest/v1`. The first one applies when a request names none.",
  },
  {
    name: "DB_MAX_ROWS",
    group: "Tables",
    kind: "integer",
    min: 0,
    max: 1_000_000,
    default: 1000,
    secret: false,
    description:
      "Maximum number of rows of one response; 0 means no limit. A truncated response is a 206 and states its range.",
  },
  {
    name: "DB_STATEMENT_TIMEOUT_MS",
    group: "Tables",
    kind: "integer",
    min: 10,
    max: 600_000,
    default: 8_000,
    secret: false,
    description: "Maximum duration of the statement of one request, in milliseconds.",
  },
  {
    name: "DB_PLAN_ENABLED",
    group: "Tables",
    kind: "boolean",
    default: false,
    secret: false,
    description:
      "Whether `Accept: application/vnd.pgrst.plan` returns execution plans. Plans reveal information about rows that the caller may not see.",
  },
  {
    name: "DB_TX_OVERRIDE",
    group: "Tables",
    kind: "boolean",
    default: false,
    secret: false,
    description:
      "Whether `Prefer: tx=rollback` is honoured: the statements run and return their results, and are then rolled back.",
  },
] as const satisfies readonly SettingRow[];
