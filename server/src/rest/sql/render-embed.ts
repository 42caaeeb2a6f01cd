import type { ColumnPair } from "../catalogue/catalogue.ts";
import type { Embed, Expression } from "../plan/plan.ts";
import { type Draft, type NodeFrame, type RowScope, rowScopeOf } from "./draft.ts";
import { listOutputNames } from "./output-names.ts";
import { quoteIdentifier, quoteName } from "./quote.ts";
import { renderCompared } from "./render-expression.ts";
import { renderWhere } from "./render-predicate.ts";
import { renderCutLists, renderIsCounted, renderList } from "./render-list.ts";
import { renderRows } from "./render-rows.ts";
import { renderWindow } from "./render-window.ts";

/** The value of an embed's key. A sub-select of the target list is evaluated only for rows that are left after the window. */
export function renderEmbedded(draft: Draft, embed: Embed, parent: RowScope): string {
  const frame = enterEmbed(draft, embed, parent);
  if (!embed.isToOne) return renderList(draft, embed.node, frame);
  const { from, row } = renderRows(draft, embed.node, frame);
  return `(select pg_catalog.row_to_json(${row}) from ${from})`;
}

/** The row that a spread is joined with; for a to-many embed it has a list for each output. */
export function renderSpreadRows(draft: Draft, embed: Embed, parent: RowScope): string {
  const frame = enterEmbed(draft, embed, parent);
  // The limit also keeps the planner from reordering the join, which would lose the order.
  if (embed.isToOne) return draft.renderNode(draft, embed.node, { ...frame, isSingle: true });
  const names = listOutputNames(embed.node.outputs);
  const places = names.map((_, index) => `c${index + 1}`);
  const kept = `filter (where ${renderIsCounted(draft, "pg_catalog.row_to_json(_.*)", frame)})`;
  const lists = places.map((place, index) => ({
    name: place,
    value: `coalesce(pg_catalog.json_agg(_.${place})${index === 0 ? ` ${kept}` : ""},'[]')`,
  }));
  const rows = `(${draft.renderNode(draft, embed.node, frame)}) _(${places.join(",")})`;
  const named = places.map((place, index) => `_.${place} as ${quoteIdentifier(names[index] ?? place)}`);
  return `select ${named.join(",")} from (${renderCutLists(draft, embed.node, { lists, rows })}) _`;
}

export function renderExists(draft: Draft, embed: Embed, parent: RowScope): string {
  const { from, scope, joins } = enterEmbed(draft, embed, parent);
  const where = renderWhere(draft, { joins, where: embed.node.where }, scope);
  return `exists(select from ${from}${where}${renderWindow(draft, { ...embed.node, isCapped: false })})`;
}

/** A value of the one row of an embed, for ordering by. */
export function renderRelated(draft: Draft, embed: Embed, value: Expression, parent: RowScope): string {
  const { from, scope, joins } = enterEmbed(draft, embed, parent);
  const where = renderWhere(draft, { joins, where: embed.node.where }, scope);
  return `(select ${renderCompared(value, scope)} from ${from}${where} limit 1)`;
}

export function enterEmbed(draft: Draft, { relationship, isToOne }: Embed, parent: RowScope): NodeFrame {
  const { target, isTargetView } = relationship;
  const alias = draft.alias(target.name);
  const scope = { ...rowScopeOf(alias), depth: parent.depth + 1 };
  const isSingle = isToOne && (isTargetView || relationship.kind === "computed");
  const frame = { scope, type: target, isSingle };
  switch (relationship.kind) {
    case "computed":
      return { ...frame, from: `${quoteName(relationship.function)}(${parent.row}) ${alias}`, joins: [] };
    case "many-to-many": {
      const { relation, sourceColumns, targetColumns } = relationship.junction;
      const junction = draft.alias(relation.name);
      const through = `${quoteName(relation)} ${junction} join ${quoteName(target)} ${alias}`;
      return {
        ...frame,
        from: `${through} on ${joinColumns(targetColumns, alias, junction).join(" and ")}`,
        joins: joinColumns(sourceColumns, parent.name, junction),
      };
    }
    case "many-to-one":
    case "one-to-one":
    case "one-to-many": {
      const joins = joinColumns(relationship.columns, parent.name, alias);
      return { ...frame, from: `${quoteName(target)} ${alias}`, joins };
    }
  }
}

function joinColumns(columns: readonly ColumnPair[], own: string, other: string): string[] {
  return columns.map(
    ([ownColumn, otherColumn]) => `${other}.${quoteIdentifier(otherColumn)} = ${own}.${quoteIdentifier(ownColumn)}`,
  );
}
