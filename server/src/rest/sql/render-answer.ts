import type { AnswerPlan, ReadNode } from "../plan/plan.ts";
import type { Draft, NodeFrame } from "./draft.ts";
import { type RowForm, renderBody } from "./render-body.ts";
import { renderWhere } from "./render-predicate.ts";

/** The result columns of a main statement besides the body, as expressions. */
export interface AnswerColumns {
  /** The number of rows that the response is about. */
  readonly count: string;
  readonly total: string;
  readonly isCut: string;
  readonly location: string;
  readonly inserted: string;
  /** Conditions that raise an error when they do not hold. */
  readonly checks: readonly string[];
}

interface AnswerParts {
  /** After `with`; empty when there is nothing. */
  readonly before: string;
  /** Where the rows are, after `from`. */
  readonly from: string;
  readonly form: RowForm;
}

/** Read after the rows, because computing them sets these. */
const SETTINGS = ["response.status", "response.headers"]
  .map((name) => `nullif(pg_catalog.current_setting('${name}',true),'')`)
  .join(",");

/** The one row of `RESULT_COLUMNS`. */
export function renderAnswer(draft: Draft, answer: AnswerPlan, parts: AnswerParts, values: AnswerColumns): string {
  const { count, total, isCut, location, inserted } = values;
  const checks = [
    ...(answer.mustBeSingle ? [`private.require_single(${count})`] : []),
    ...(answer.maxAffected === null
      ? []
      : [`private.require_at_most(${count},${draft.parameter(answer.maxAffected)}::bigint)`]),
    ...values.checks,
  ];
  const having = checks.length === 0 ? "" : ` having ${checks.join(" and ")}`;
  const start = parts.before === "" ? "" : `with ${parts.before} `;
  const columns = [renderBody(answer.body, parts.form), count, total, isCut, SETTINGS, location, inserted].join(",");
  return `${start}select ${columns} from ${parts.from}${having}`;
}

/** The number of rows without the window. */
export function renderTotal(draft: Draft, answer: AnswerPlan, node: ReadNode, frame: NodeFrame): string {
  if (answer.count !== "exact" && answer.count !== "estimated") return "null";
  if (node.limit === null && node.offset === null) return "count(*)";
  const cap = answer.count === "estimated" ? answer.countCap : null;
  const limit = cap === null ? "" : ` limit ${draft.parameter(cap)}::bigint+1`;
  return `(select count(*) from (${renderUnshown(draft, node, frame)}${limit}) _)`;
}

/** Whether there are rows beyond the cap. */
export function renderIsCut(draft: Draft, answer: AnswerPlan, node: ReadNode, frame: NodeFrame): string {
  if (answer.rowCap === null) return "false";
  const cap = (placeholder: number): string => `${draft.parameter(placeholder)}::bigint`;
  const isFull = `count(*)>=${cap(answer.rowCap)}`;
  const skipped = node.offset === null ? "" : `+${cap(node.offset)}`;
  const rows = `${renderUnshown(draft, node, frame)} offset ${cap(answer.rowCap)}${skipped}`;
  return `case when ${isFull} then exists(${rows}) else false end`;
}

/** All rows of a node, for counting. */
export function renderUnshown(draft: Draft, node: ReadNode, frame: NodeFrame): string {
  if (node.isAggregated) return draft.renderNode(draft, { ...node, order: [], limit: null, offset: null }, frame);
  return `select from ${frame.from}${renderWhere(draft, { joins: frame.joins, where: node.where }, frame.scope)}`;
}
