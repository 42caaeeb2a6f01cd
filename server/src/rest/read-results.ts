import type { StatementResult } from "../db/index.ts";
import type { ResultColumn } from "./sql/statement.ts";

/** The one row of a main statement, by name. */
export type MainRow = Readonly<Record<ResultColumn, string | null>>;

/** In the order of `RESULT_COLUMNS`. */
export function readMainRow({ rows }: StatementResult): MainRow {
  const [row] = rows;
  if (row === undefined || rows.length > 1) throw new Error("a main statement must return exactly one row");
  const [body = null, count = null, total = null, isCut = null, status = null, headers = null, ...rest] = row;
  const [location = null, inserted = null] = rest;
  return { body, rows: count, total, isCut, status, headers, location, inserted };
}

/** How many rows the planner expects, from `explain (format json)`. */
export function readEstimate({ rows }: StatementResult): number {
  const [plan] = JSON.parse(rows[0]?.[0] ?? "[]") as readonly { readonly Plan?: { readonly "Plan Rows"?: number } }[];
  const estimate = plan?.Plan?.["Plan Rows"];
  if (typeof estimate !== "number") throw new Error("the execution plan has no estimate");
  return Math.round(estimate);
}
