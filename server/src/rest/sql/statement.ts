import type { Placeholder } from "../plan/plan.ts";

/** Text of one shape, and for each of its parameters where the value of this request stands. */
export interface PlannedStatement {
  readonly text: string;
  readonly parameters: readonly Placeholder[];
}

/** The statements of a plan, in the order in which they are run. The first gives exactly one row of `RESULT_COLUMNS`. */
export interface PlannedStatements {
  readonly main: PlannedStatement;
  /** `explain (format json)` of the rows asked for, for planned and estimated counts. */
  readonly estimate: PlannedStatement | null;
}

/** What the one row of a main statement holds, in this order, all as text. */
export const RESULT_COLUMNS = [
  /** The body as it goes out; null when none was asked for. */
  "body",
  /** Rows shown (of a read or a call) or affected (of a write). */
  "rows",
  /** Rows there are without the window; null when they were not counted. `estimated` counts up to the row cap. */
  "total",
  /** `t` when the row cap cut the answer; else `f` or null. */
  "isCut",
  /** What the database wants to say itself: the settings `response.status` and `response.headers`, null when empty. */
  "status",
  "headers",
  /** Of an insert of exactly one row: JSON object of its primary key, every value as text or null. Else null. */
  "location",
  /** Of an upsert or PUT: how many rows are new. Else null. */
  "inserted",
] as const;

export type ResultColumn = (typeof RESULT_COLUMNS)[number];
