import type { AnswerPlan, ReadNode } from "../plan/plan.ts";
import type { Draft, NodeFrame } from "./draft.ts";
import { type RowForm, renderBodyPart } from "./render-body-part.ts";
import { renderUnshown } from "./render-rows.ts";
import { hasWindow, renderWindow } from "./render-window.ts";

/** The figures about the rows, as expressions; null where there is none. */
export interface AnswerFigures {
  /** Renders the rows that are counted, after `from`. Null means those of the body, which are counted on arrival. */
  readonly counted: (() => string) | null;
  /** The body can have fewer rows than are counted. */
  readonly isCountNeeded?: boolean;
  readonly total: string | null;
  readonly location: string | null;
  readonly inserted: string | null;
  /** Conditions that raise an error when they do not hold. */
  readonly checks: readonly string[];
}

interface AnswerSource {
  /** After `with`; empty when there is nothing. */
  readonly before: string;
  /** Where the rows are, after `from`. */
  readonly from: string;
  readonly form: RowForm;
}

/** Kept results take space for a day, whatever a caller selects with them. */
const MAX_KEPT_BYTES = 64 * 1024;

/** What the protocol adds to a row. */
const ROW_OVERHEAD_BYTES = 32;

/** The rows of the body, after a row of figures where there are any. */
export function renderAnswer(draft: Draft, answer: AnswerPlan, source: AnswerSource, figures: AnswerFigures): string {
  const start = source.before === "" ? "" : `with ${source.before} `;
  const rows = renderBodyRows(draft, answer, source);
  const head = renderFigures(draft, answer, figures);
  const isKept = answer.isKept === true;
  const all = head === null && !isKept ? (rows ?? "") : joinRows(head, rows);
  if (answer.isExplained === true && all !== "") return `${start}select pg_catalog.json_agg(_.b) from (${all}) _(b)`;
  return `${start}${isKept ? renderKept(all) : all}`;
}

/** All rows with the columns of the figures. */
function joinRows(head: string | null, rows: string | null): string {
  const wide = rows === null ? [] : [`select _.b,null,null,null,null from (${rows}) _`];
  return [...(head === null ? [] : [head]), ...wide].join(" union all ");
}

/** Stores all rows under the idempotency key of the transaction when the first of them is returned. */
function renderKept(rows: string): string {
  const columns = "_.b::text,_.c::text,_.t::text,_.l::text,_.i::text";
  const figures = `pg_catalog.array_agg(array[${columns}]) over () as kept,pg_catalog.row_number() over () as n`;
  const isKept = `case when _.n=1 then private.keep_result(_.kept,${MAX_KEPT_BYTES}) else true end`;
  return `select ${columns} from (select _.*,${figures} from (${rows}) _(b,c,t,l,i)) _ where ${isKept}`;
}

/** One column `b`. */
function renderBodyRows(
  draft: Draft,
  { body, isCounted = false, isCapped }: AnswerPlan,
  { from, form }: AnswerSource,
): string | null {
  if (body.kind === "none") return null;
  const { maxRows } = draft.limits;
  // One row more than the cap was read, which does not belong to the result of a handler.
  const isCut = body.kind === "handler" && isCapped && maxRows !== null;
  const shown = isCut ? `(select * from ${from} limit ${maxRows}) _` : from;
  const rows = `select ${renderBodyPart(body, form)} as b from ${shown}`;
  if (!isCounted) return rows;
  const bytes = `pg_catalog.octet_length(_.b)+${ROW_OVERHEAD_BYTES}`;
  const isWithin = `private.count_bytes(0,${bytes},${draft.limits.maxBytes})`;
  return `select case when ${isWithin} then _.b end as b from (${rows} offset 0) _`;
}

/** The row of figures. Null means that there are none. */
function renderFigures(draft: Draft, answer: AnswerPlan, figures: AnswerFigures): string | null {
  const { total, location, inserted } = figures;
  const checks = [
    ...(answer.mustBeSingle ? ["private.require_single(count(*))"] : []),
    ...(answer.maxAffected === null
      ? []
      : [`private.require_at_most(count(*),${draft.parameter(answer.maxAffected)}::bigint)`]),
    ...figures.checks,
  ];
  const others = [total, location, inserted];
  // A handler gives one row for all.
  const isSummed = answer.body.kind === "none" || answer.body.kind === "handler";
  const isNeeded = isSummed || figures.isCountNeeded === true || checks.length > 0;
  if (!isNeeded && others.every((figure) => figure === null)) return null;
  const { counted } = figures;
  const columns = ["null", counted === null ? "null" : "count(*)::text", ...others.map((figure) => figure ?? "null")];
  const from = counted === null ? "" : ` from ${counted()}`;
  const having = checks.length === 0 ? "" : ` having ${checks.join(" and ")}`;
  return `select ${columns.join(",")}${from}${having}`;
}

/** The number of rows without the window. Null means that it is not requested, or there is no window. */
export function renderTotal(draft: Draft, { count }: AnswerPlan, node: ReadNode, frame: NodeFrame): string | null {
  if (count === null || count === "planned" || !hasWindow(node)) return null;
  const { maxRows, countCap } = draft.limits;
  const cap = count === "exact" ? null : count === "capped" ? countCap : maxRows;
  const limit = cap === null ? "" : ` limit ${cap + 1}`;
  return `(select count(*) from (${renderUnshown(draft, node, frame)}${limit}) _)::text`;
}

/** The rows of a node within its window, for counting. Volatile outputs would be computed although nothing reads them. */
export function renderCounted(draft: Draft, node: ReadNode, frame: NodeFrame): string {
  return `(${renderUnshown(draft, node, frame)}${renderWindow(draft, node, frame.isSingle)}) _`;
}
