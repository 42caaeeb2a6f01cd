import type { StatementResult } from "../../db/index.ts";

/** The row of a main statement, with parsed numbers. */
export interface MainResult {
  readonly body: string | null;
  readonly rows: number;
  readonly total: number | null;
  readonly isCut: boolean;
  readonly status: string | null;
  readonly headers: string | null;
  readonly location: string | null;
  readonly inserted: number | null;
}

/** In the order of `RESULT_COLUMNS`. */
export function readMainResult({ rows }: Pick<StatementResult, "rows">): MainResult {
  const [row] = rows;
  if (row === undefined || rows.length > 1) throw new Error("a main statement must return exactly one row");
  const [body = null, count, total = null, isCut, status = null, headers = null, ...rest] = row;
  const [location = null, inserted = null] = rest;
  const counts = { rows: Number(count), total: toCount(total), inserted: toCount(inserted) };
  return { ...counts, body, isCut: isCut === "t", status, headers, location };
}

function toCount(text: string | null): number | null {
  return text === null ? null : Number(text);
}

/** How many rows the planner expects, from `explain (format json)`. */
export function readEstimate({ rows }: StatementResult): number {
  const [plan] = JSON.parse(rows[0]?.[0] ?? "[]") as readonly { readonly Plan?: { readonly "Plan Rows"?: number } }[];
  const estimate = plan?.Plan?.["Plan Rows"];
  if (typeof estimate !== "number") throw new Error("the execution plan has no estimate");
  return Math.round(estimate);
}
