import type { ReadNode } from "../plan/plan.ts";
import type { Draft, NodeFrame } from "./draft.ts";
import { renderWhere } from "./render-predicate.ts";

/** Rows of a node to make JSON of. */
export interface RenderedRows {
  /** Everything after `from`. */
  readonly from: string;
  /** The row, as an argument of a function. */
  readonly row: string;
}

/** Whole rows of a table without a window need no sub-select, which would decompose and rebuild each row. */
export function renderRows(draft: Draft, node: ReadNode, frame: NodeFrame): RenderedRows {
  const { from, scope, joins, isSingle } = frame;
  if (!areWhole(node) || scope.isRecord) return { from: `(${draft.renderNode(draft, node, frame)}) _`, row: "_.*" };
  const where = renderWhere(draft, { joins, where: node.where }, scope);
  return { from: `${from}${where}${isSingle ? " limit 1" : ""}`, row: `${scope.name}.*` };
}

function areWhole({ outputs, order, limit, offset, isAggregated }: ReadNode): boolean {
  const isStar = outputs.length === 1 && outputs[0]?.kind === "star";
  return isStar && order.length === 0 && limit === null && offset === null && !isAggregated;
}
