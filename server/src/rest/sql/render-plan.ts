import type { FunctionResult } from "../catalogue/catalogue.ts";
import type { CallPlan, Plan, ReadNode, ReadPlan, WritePlan } from "../plan/plan.ts";
import { STALE_TYPE_ROWS } from "./body-rows.ts";
import { createDraft, type Draft, type NodeFrame, ONLY_COLUMN, rowScopeOf, type StatementLimits } from "./draft.ts";
import { quoteName } from "./quote.ts";
import { type AnswerFigures, renderAnswer, renderCounted, renderTotal } from "./render-answer.ts";
import { isUnknownRecord, renderCall } from "./render-call.ts";
import { renderCsvHeader, type StarColumns } from "./render-csv-header.ts";
import { renderExists } from "./render-embed.ts";
import { renderNode } from "./render-node.ts";
import { type RenderedNodeRows, renderRows, renderUnshown } from "./render-rows.ts";
import { renderWrite } from "./render-write.ts";
import type { PlannedStatement, PlannedStatements } from "./planned-statement.ts";

/** The statements of a plan. Equal plans give equal texts. */
export function renderPlan(plan: Plan, limits: StatementLimits): PlannedStatements {
  const renderWith = (render: (draft: Draft) => string): PlannedStatement => {
    const draft = createDraft({ renderNode, renderExists }, limits);
    const text = render(draft);
    return { text, parameters: draft.parameters };
  };
  return {
    main: renderWith((draft) => renderMain(draft, plan)),
    estimate: isEstimated(plan) ? renderWith((draft) => `explain (format json) ${renderAll(draft, plan)}`) : null,
    csvHeader: plan.answer.body.kind === "csv" ? renderWith(() => `select ${renderHeaderOf(plan)}`) : null,
  };
}

function renderMain(draft: Draft, plan: Plan): string {
  switch (plan.kind) {
    case "read":
      return renderRead(draft, plan);
    case "write":
      return renderWritten(draft, plan);
    case "call":
      return renderCalled(draft, plan);
  }
}

function isEstimated({ kind, answer: { count } }: Plan): boolean {
  return kind !== "write" && (count === "planned" || count === "estimated");
}

/** All rows without the window, for the planner's estimate. */
function renderAll(draft: Draft, plan: Plan): string {
  if (plan.kind === "read") return renderUnshown(draft, plan.root, enterRoot(draft, plan.root));
  if (plan.kind === "write") throw new Error("written rows are not estimated");
  const { before, frame } = renderCall(draft, plan.call);
  return `with ${before} ${renderUnshown(draft, shownOf(plan), frame)}`;
}

function renderHeaderOf(plan: Plan): string {
  switch (plan.kind) {
    case "read": {
      const { source, outputs } = plan.root;
      return renderCsvHeader(outputs, source.kind === "relation" ? source : { names: [] });
    }
    case "write":
      return renderCsvHeader(plan.shown?.outputs ?? [], plan.write);
    case "call":
      return renderCsvHeader(shownOf(plan).outputs, starOf(plan.call.function.returns));
  }
}

const NO_FIGURES: AnswerFigures = { counted: null, total: null, location: null, inserted: null, checks: [] };

function renderRead(draft: Draft, { root, answer }: ReadPlan): string {
  const frame = enterRoot(draft, root);
  const total = renderTotal(draft, answer, root, frame);
  if (answer.body.kind === "none") {
    const figures = { ...NO_FIGURES, counted: () => renderCounted(draft, root, frame), total };
    return renderAnswer(draft, answer, NO_ROWS, figures);
  }
  const counted = answer.body.kind === "handler" ? () => renderCounted(draft, root, frame) : null;
  const { from, row } = renderRows(draft, root, frame);
  const source = { before: "", from, form: { row, isBare: false } };
  return renderAnswer(draft, answer, source, { ...NO_FIGURES, counted, total });
}

const NO_ROWS = { before: "", from: "", form: { row: "", isBare: false } };

/** Fails when a function that was not a set when the catalogue was read returns several rows. */
const ONE_RESULT = `case when count(*)<2 then true else private.require_single(${STALE_TYPE_ROWS}) end`;

function renderWritten(draft: Draft, { write, shown, answer }: WritePlan): string {
  const { before, frame, checks, location, inserted } = renderWrite(draft, { write, shown });
  const { from, row } = shown === null ? { from: frame.from, row: "" } : renderRows(draft, shown, frame);
  const isCountNeeded = shown !== null && (shown.where.length > 0 || shown.isAggregated);
  const figures = { ...NO_FIGURES, counted: () => frame.from, isCountNeeded, location, inserted, checks };
  return renderAnswer(draft, answer, { before, from, form: { row, isBare: false } }, figures);
}

function renderCalled(draft: Draft, plan: CallPlan): string {
  const { call, answer } = plan;
  const { returns } = call.function;
  const shown = shownOf(plan);
  const { before, frame } = renderCall(draft, call);
  const isBare = isBareResult(returns, shown);
  const figures = {
    ...NO_FIGURES,
    counted: () => renderCounted(draft, shown, frame),
    total: renderTotal(draft, answer, shown, frame),
    checks: returns.isSet ? [] : [ONE_RESULT],
  };
  if (answer.body.kind === "none") return renderAnswer(draft, answer, { ...NO_ROWS, before }, figures);
  const { from, row } = isBare ? renderBare(draft, shown, frame) : renderRows(draft, shown, frame);
  return renderAnswer(draft, answer, { before, from, form: { row, isBare } }, figures);
}

/** A result that cannot be selected from is returned whole. */
function shownOf({ shown }: CallPlan): ReadNode {
  if (shown !== null) return shown;
  const nothing = { where: [], order: [], offset: null, isAggregated: false };
  return { ...nothing, source: { kind: "call" }, outputs: [{ kind: "star" }], limit: null };
}

function isBareResult(returns: FunctionResult, { outputs }: ReadNode): boolean {
  if (isUnknownRecord(returns)) return outputs.length === 1 && outputs[0]?.kind === "star";
  return returns.kind !== "composite";
}

function starOf({ rowOf, columns }: FunctionResult): StarColumns {
  return rowOf === null ? { names: [...(columns?.keys() ?? [])] } : { relation: rowOf };
}

/** Renames the only column. */
function renderBare(draft: Draft, node: ReadNode, frame: NodeFrame): RenderedNodeRows {
  return { from: `(${renderNode(draft, node, frame)}) _(${ONLY_COLUMN})`, row: "_.*" };
}

function enterRoot(draft: Draft, { source }: ReadNode): NodeFrame {
  if (source.kind !== "relation") throw new Error("only a relation can be read by its name");
  const { relation } = source;
  const scope = rowScopeOf(draft.alias(relation.name));
  return { from: quoteName(relation), scope, joins: [], type: relation, isSingle: false };
}
