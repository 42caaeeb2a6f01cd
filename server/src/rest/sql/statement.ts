import type { Placeholder } from "../plan/plan.ts";

/** The SQL text of a request shape, and the placeholder of each of its parameters. */
export interface PlannedStatement {
  readonly text: string;
  readonly parameters: readonly Placeholder[];
}

/** The statements of a plan, in the order in which they are run. The first gives exactly one row of `RESULT_COLUMNS`. */
export interface PlannedStatements {
  readonly main: PlannedStatement;
  /** `explain (format json)` of the selected rows, for planned and estimated counts. */
  readonly estimate: PlannedStatement | null;
}

/** The columns of the row that a main statement returns, in order, all as text. */
export const RESULT_COLUMNS = [
  /** The response body; null when none was requested. */
  "body",
  /** Rows returned (by a read or a call) or affected (by a write). */
  "rows",
  /** Rows without the window; null when they were not counted. `estimated` counts up to the row cap. */
  "total",
  /** `t` when the row cap cut the answer; else `f` or null. */
  "isCut",
  /** The settings `response.status` and `response.headers`, null when empty. */
  "status",
  "headers",
  /** Of an insert of exactly one row: JSON object of its primary key, every value as text or null. Else null. */
  "location",
  /** Of an upsert or PUT: how many rows are new. Else null. */
  "inserted",
] as const;

export type ResultColumn = (typeof RESULT_COLUMNS)[number];
