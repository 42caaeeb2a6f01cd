import type { Placeholder } from "../plan/plan.ts";

/** The SQL text of a request shape, and the placeholder of each of its parameters. */
export interface PlannedStatement {
  readonly text: string;
  readonly parameters: readonly Placeholder[];
}

/** The statements of a plan, in the order in which they are run. */
export interface PlannedStatements {
  /**
   * Gives a row for each row of the body, with its part of the body as the first column. Where there are figures, a row of them
   * comes first: null, the number of rows returned or affected, that of rows without the window as far as they were counted, the
   * primary key of the only new row (a JSON object of texts and nulls), and the number of new rows of an upsert. Each is a
   * text, or null: there is none, or it is the number of rows of the body.
   */
  readonly main: PlannedStatement;
  /** `explain (format json)` of the selected rows, for planned and estimated counts. */
  readonly estimate: PlannedStatement | null;
  /** The first line of a CSV document. */
  readonly csvHeader: PlannedStatement | null;
}

/** SQLSTATE of the message with which `private.cut_list` says that the row cap has cut off an embedded list. */
export const CUT_NOTICE = "SB206";
