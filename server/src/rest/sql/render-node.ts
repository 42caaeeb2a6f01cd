import type { Output, ReadNode } from "../plan/plan.ts";
import { type Draft, type NodeFrame, ONLY_COLUMN, type RowScope, rowScopeOf } from "./draft.ts";
import { findNeededColumns, renderNeeded } from "./needed-columns.ts";
import { quoteIdentifier, quoteName } from "./quote.ts";
import { renderEmbedded, renderSpreadRows } from "./render-embed.ts";
import { renderExpression } from "./render-expression.ts";
import { renderGrouped } from "./render-grouped.ts";
import { renderOrder, renderOrderKey } from "./render-order.ts";
import { renderWhere } from "./render-predicate.ts";
import { hasWindow, renderWindow } from "./render-window.ts";

/** The select of a node's rows with their outputs. */
export function renderNode(draft: Draft, node: ReadNode, frame: NodeFrame): string {
  if (node.isAggregated) return renderGrouped(draft, node, frame);
  if (isCostlyOutsideWindow(node)) return renderAroundWindow(draft, node, frame);
  const { columns, laterals } = renderOutputs(draft, node.outputs, frame.scope);
  return `select ${columns} from ${frame.from}${laterals}${renderRest(draft, node, frame)}`;
}

/** Applies the window before joins, so that rows outside of it are not joined. */
function isCostlyOutsideWindow(node: ReadNode): boolean {
  const { outputs, offset } = node;
  if (outputs.some(({ kind }) => kind === "spread")) return hasWindow(node);
  return offset !== null && outputs.some(({ kind }) => kind === "embed");
}

function renderAroundWindow(draft: Draft, node: ReadNode, frame: NodeFrame): string {
  const { name, isRecord, depth } = frame.scope;
  const needed = renderNeeded(findNeededColumns(node), name);
  const rows = `select ${needed} from ${frame.from}${renderRest(draft, node, frame)}`;
  const scope = { ...rowScopeOf(name, frame.type), isRecord, depth };
  const { columns, laterals } = renderOutputs(draft, node.outputs, scope);
  return `select ${columns} from (${rows}) ${name}${laterals}`;
}

function renderRest(draft: Draft, node: ReadNode, { joins, scope, isSingle }: NodeFrame): string {
  const where = renderWhere(draft, { joins, where: node.where }, scope);
  const order = renderOrder(node.order, (by) => renderOrderKey(draft, by, scope));
  return where + order + renderWindow(draft, node, isSingle);
}

function renderOutputs(
  draft: Draft,
  outputs: readonly Output[],
  scope: RowScope,
): { readonly columns: string; readonly laterals: string } {
  let laterals = "";
  const columns = outputs.map((output) => {
    switch (output.kind) {
      case "star":
        return scope.isRecord ? `${scope.name}.${ONLY_COLUMN}` : `${scope.name}.*`;
      case "value":
        return `${renderValue(output, scope)} as ${quoteIdentifier(output.name)}`;
      case "embed":
        return `${renderEmbedded(draft, output.embed, scope)} as ${quoteIdentifier(output.name)}`;
      case "spread": {
        const alias = draft.alias("_spread");
        laterals += ` left join lateral (${renderSpreadRows(draft, output.embed, scope)}) ${alias} on true`;
        return `${alias}.*`;
      }
      case "aggregate":
        throw new Error("an aggregate is in a node that is not grouped");
    }
  });
  return { columns: columns.join(","), laterals };
}

function renderValue({ value, representedBy }: Extract<Output, { kind: "value" }>, scope: RowScope): string {
  const plain = renderExpression(value, scope);
  return representedBy === undefined ? plain : `${quoteName(representedBy)}(${plain})`;
}
