import type { ReadNode } from "../plan/plan.ts";
import type { Draft, NodeFrame } from "./draft.ts";
import { renderWhere } from "./render-predicate.ts";
import { hasWindow } from "./render-window.ts";

/** Rows of a node to make JSON of. */
export interface RenderedNodeRows {
  /** Everything after `from`. */
  readonly from: string;
  /** The row, as an argument of a function. */
  readonly row: string;
}

/** Whole rows of a table without a window need no sub-select, which would decompose and rebuild each row. */
export function renderRows(draft: Draft, node: ReadNode, frame: NodeFrame): RenderedNodeRows {
  const { from, scope, joins, isSingle } = frame;
  if (!areWhole(node) || hasWindow(node) || scope.isRecord)
    return { from: `(${draft.renderNode(draft, node, frame)}) _`, row: "_.*" };
  const where = renderWhere(draft, { joins, where: node.where }, scope);
  return { from: `${from}${where}${isSingle ? " limit 1" : ""}`, row: `${scope.name}.*` };
}

export function areWhole({ outputs, order, isAggregated }: ReadNode): boolean {
  return outputs.length === 1 && outputs[0]?.kind === "star" && order.length === 0 && !isAggregated;
}

/** All rows of a node without its outputs, for counting. */
export function renderUnshown(draft: Draft, node: ReadNode, frame: NodeFrame): string {
  const all = { ...node, order: [], limit: null, offset: null, isCapped: false };
  if (node.isAggregated) return draft.renderNode(draft, all, frame);
  return `select from ${frame.from}${renderWhere(draft, { joins: frame.joins, where: node.where }, frame.scope)}`;
}
