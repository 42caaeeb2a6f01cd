import type { FunctionResult } from "../catalogue/catalogue.ts";
import type { AnswerPlan, CallPlan, Plan, ReadNode, ReadPlan, WritePlan } from "../plan/plan.ts";
import { STALE_TYPE_ROWS } from "./body-rows.ts";
import { createDraft, type Draft, type NodeFrame, ONLY_COLUMN, scopeOf } from "./draft.ts";
import { quoteName } from "./quote.ts";
import { renderAnswer, renderIsCut, renderTotal, renderUnshown } from "./render-answer.ts";
import type { RowForm } from "./render-body.ts";
import { isUnknownRecord, renderCall } from "./render-call.ts";
import { renderCsvHeader, type StarColumns } from "./render-csv-header.ts";
import { renderExists } from "./render-embed.ts";
import { renderNode } from "./render-node.ts";
import { type RenderedRows, renderRows } from "./render-rows.ts";
import { renderWrite } from "./render-write.ts";
import type { PlannedStatement, PlannedStatements } from "./statement.ts";

/** The statements of a plan. Equal plans give equal texts. */
export function renderPlan(plan: Plan): PlannedStatements {
  switch (plan.kind) {
    case "read":
      return {
        main: renderWith((draft) => renderRead(draft, plan)),
        estimate: renderEstimate(plan.answer, (draft) => renderUnshown(draft, plan.root, enterRoot(draft, plan.root))),
      };
    case "write":
      return { main: renderWith((draft) => renderWritten(draft, plan)), estimate: null };
    case "call":
      return {
        main: renderWith((draft) => renderCalled(draft, plan)),
        estimate: renderEstimate(plan.answer, (draft) => {
          const { parts, frame } = renderCall(draft, plan.call);
          return `with ${parts} ${renderUnshown(draft, shownOf(plan), frame)}`;
        }),
      };
  }
}

function renderWith(render: (draft: Draft) => string): PlannedStatement {
  const draft = createDraft({ renderNode, renderExists });
  const text = render(draft);
  return { text, parameters: draft.parameters };
}

function renderEstimate({ count }: AnswerPlan, render: (draft: Draft) => string): PlannedStatement | null {
  if (count !== "planned" && count !== "estimated") return null;
  return renderWith((draft) => `explain (format json) ${render(draft)}`);
}

function renderRead(draft: Draft, { root, answer }: ReadPlan): string {
  const frame = enterRoot(draft, root);
  const { from, row } = renderRows(draft, root, frame);
  const star: StarColumns = root.source.kind === "relation" ? { relation: root.source.relation } : { names: [] };
  const columns = {
    ...NOTHING_WRITTEN,
    total: renderTotal(draft, answer, root, frame),
    isCut: renderIsCut(draft, answer, root, frame),
  };
  return renderAnswer(draft, answer, { before: "", from, form: formOf(root, row, star) }, columns);
}

const NOTHING_WRITTEN = { count: "count(*)", location: "null", inserted: "null", checks: [] };

/** Fails when a function that was not a set when the catalogue was read returns several rows. */
const ONE_RESULT = `case when count(*)<2 then true else private.require_single(${STALE_TYPE_ROWS}) end`;

function renderWritten(draft: Draft, { write, shown, answer }: WritePlan): string {
  const { parts, frame, count, checks, location, inserted } = renderWrite(draft, { write, shown });
  const { from, row } = shown === null ? { from: frame.from, row: "" } : renderRows(draft, shown, frame);
  const isEachShown = shown === null || (shown.where.length === 0 && !shown.isAggregated);
  const affected = isEachShown ? "count(*)" : count;
  const total = answer.count === "exact" || answer.count === "estimated" ? affected : "null";
  const columns = { count: affected, total, isCut: "false", location, inserted, checks };
  const form = formOf(shown, row, { relation: write.relation });
  return renderAnswer(draft, answer, { before: parts, from, form }, columns);
}

function renderCalled(draft: Draft, plan: CallPlan): string {
  const { call, answer } = plan;
  const { returns } = call.function;
  const shown = shownOf(plan);
  const { parts, frame } = renderCall(draft, call);
  const bare = isBare(returns, shown);
  const { from, row } = bare ? renderBare(draft, shown, frame) : renderRows(draft, shown, frame);
  const columns = {
    ...NOTHING_WRITTEN,
    total: renderTotal(draft, answer, shown, frame),
    isCut: renderIsCut(draft, answer, shown, frame),
    checks: returns.isSet ? [] : [ONE_RESULT],
  };
  const form = { ...formOf(shown, row, starOf(returns)), isBare: bare, isList: returns.isSet };
  return renderAnswer(draft, answer, { before: parts, from, form }, columns);
}

/** A result that cannot be selected from is returned whole. */
function shownOf({ shown, answer }: CallPlan): ReadNode {
  if (shown !== null) return shown;
  const nothing = { where: [], order: [], offset: null, isAggregated: false };
  return { ...nothing, source: { kind: "call" }, outputs: [{ kind: "star" }], limit: answer.rowCap };
}

function isBare(returns: FunctionResult, { outputs }: ReadNode): boolean {
  if (isUnknownRecord(returns)) return outputs.length === 1 && outputs[0]?.kind === "star";
  return returns.kind !== "composite";
}

function starOf({ rowOf, columns }: FunctionResult): StarColumns {
  return rowOf === null ? { names: [...(columns?.keys() ?? [])] } : { relation: rowOf };
}

/** Renames the only column. */
function renderBare(draft: Draft, node: ReadNode, frame: NodeFrame): RenderedRows {
  return { from: `(${renderNode(draft, node, frame)}) _(${ONLY_COLUMN})`, row: "_.*" };
}

function formOf(node: ReadNode | null, row: string, star: StarColumns): RowForm {
  return { row, isBare: false, isList: true, renderHeader: () => renderCsvHeader(node?.outputs ?? [], star) };
}

function enterRoot(draft: Draft, { source }: ReadNode): NodeFrame {
  if (source.kind !== "relation") throw new Error("only a relation can be read by its name");
  const { relation } = source;
  const scope = scopeOf(draft.alias(relation.name));
  return { from: quoteName(relation), scope, joins: [], type: relation, isSingle: false };
}
