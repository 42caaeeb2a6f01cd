import type { Aggregate } from "../parse/parsed-request.ts";
import type { Embed, Expression, OrderBy, Output, ReadNode } from "../plan/plan.ts";
import type { Draft, NodeFrame, RowScope } from "./draft.ts";
import { listOutputNames, unknownColumnsError } from "./output-names.ts";
import { quoteCast, quoteIdentifier } from "./quote.ts";
import { enterEmbed, renderEmbedded, renderSpreadRows } from "./render-embed.ts";
import { renderComparable, renderExpression } from "./render-expression.ts";
import { renderOrder, renderOrderKey } from "./render-order.ts";
import { renderWhere } from "./render-predicate.ts";
import { renderWindow } from "./render-window.ts";

/** One output of a grouped node: its value for each row, and its value for the group. */
interface Cell {
  readonly name: string;
  /** Null for a count of rows. */
  readonly value: string | null;
  readonly aggregate: { readonly function: Aggregate; readonly cast: string | null } | null;
  /** The expression that it outputs unchanged, so that order terms can refer to it. */
  readonly own: Expression | null;
  readonly isRelated: boolean;
}

interface Flattened {
  readonly cells: readonly Cell[];
  readonly laterals: string;
}

/** Rows are projected first, so that they are grouped by plain columns. */
export function renderGrouped(draft: Draft, node: ReadNode, frame: NodeFrame): string {
  const { cells, laterals } = flatten(draft, node.outputs, frame.scope);
  const extra: string[] = [];
  const related: string[] = [];
  const shownCells = findShown(cells);
  const order = renderOrder(node.order, (by) => {
    const cell = by.kind === "output" ? shownCells.get(by.name) : cells.findIndex(({ own }) => isOrderedBy(own, by));
    if (cell !== undefined && cell !== -1) return renderCell(cells[cell] as Cell, cell);
    const place = `_.c${cells.length + extra.push(renderOrderKey(draft, by, frame.scope))}`;
    // An embed's value that rows are grouped by is one value per group. The database rejects anything else.
    if (by.kind === "related") related.push(place);
    return place;
  });
  const where = renderWhere(draft, { joins: frame.joins, where: node.where }, frame.scope);
  const values = [...cells.map(({ value }) => value ?? "null"), ...extra];
  const projected = values.map((value, index) => `${value} as c${index + 1}`).join(",");
  const shown = [...shownCells]
    .map(([name, index]) => `${renderCell(cells[index] as Cell, index)} as ${quoteIdentifier(name)}`)
    .join(",");
  const keys = cells.flatMap(({ aggregate }, index) => (aggregate === null ? [`_.c${index + 1}`] : []));
  const groups = keys.length === 0 ? "" : ` group by ${[...keys, ...related].join(",")}`;
  const rows = `select ${projected} from ${frame.from}${laterals}${where}`;
  return `select ${shown} from (${rows}) _${groups}${order}${renderWindow(draft, node, frame.isSingle)}`;
}

function renderCell({ value, aggregate }: Cell, index: number): string {
  if (aggregate === null) return `_.c${index + 1}`;
  const result = value === null ? "count(*)" : `pg_catalog.${aggregate.function}(_.c${index + 1})`;
  return aggregate.cast === null ? result : `(${result})::${quoteCast(aggregate.cast)}`;
}

/** The index of the cell that is shown for each key, as in `keepUnique`. */
function findShown(cells: readonly Cell[]): ReadonlyMap<string, number> {
  const shown = new Map<string, number>();
  for (const [index, { name, isRelated }] of cells.entries()) {
    const before = shown.get(name);
    if (before === undefined || isRelated || cells[before]?.isRelated === false) shown.set(name, index);
  }
  return shown;
}

function isOrderedBy(own: Expression | null, by: OrderBy["by"]): boolean {
  return by.kind === "own" && own !== null && JSON.stringify(own) === JSON.stringify(by.value);
}

function flatten(draft: Draft, outputs: readonly Output[], scope: RowScope): Flattened {
  let laterals = "";
  const cells = outputs.flatMap((output): readonly Cell[] => {
    switch (output.kind) {
      case "star":
        throw unknownColumnsError();
      case "value":
        return [
          {
            name: output.name,
            value: renderComparable(output.value, scope),
            aggregate: null,
            own: output.value,
            isRelated: false,
          },
        ];
      case "aggregate": {
        const value = output.value === null ? null : renderExpression(output.value, scope);
        return [{ name: output.name, value, aggregate: output, own: null, isRelated: false }];
      }
      case "embed": {
        const value = `pg_catalog.to_jsonb(${renderEmbedded(draft, output.embed, scope)})`;
        return [{ name: output.name, value, aggregate: null, own: null, isRelated: true }];
      }
      case "spread": {
        const alias = draft.alias("_spread");
        const { rows, cells: spread } = flattenSpread(draft, output.embed, scope);
        laterals += ` left join lateral (${rows}) ${alias} on true`;
        return spread.map((cell) => ({ ...cell, value: `${alias}.${cell.value}`, isRelated: true }));
      }
    }
  });
  return { cells, laterals };
}

/** The cells' values are columns of `rows`. */
function flattenSpread(
  draft: Draft,
  embed: Embed,
  parent: RowScope,
): { readonly rows: string; readonly cells: readonly (Cell & { readonly value: string })[] } {
  if (!embed.isToOne) return flattenLists(draft, embed, parent);
  const { from, scope, joins } = enterEmbed(draft, embed, parent);
  const { cells, laterals } = flatten(draft, embed.node.outputs, scope);
  // A count of rows counts those parents that have one.
  const values = cells.map(({ value }, index) => `${value ?? "1"} as c${index + 1}`).join(",");
  const where = renderWhere(draft, { joins, where: embed.node.where }, scope);
  return {
    rows: `select ${values} from ${from}${laterals}${where}${renderWindow(draft, embed.node, true)}`,
    cells: cells.map((cell, index) => ({ ...cell, value: `c${index + 1}`, own: null })),
  };
}

function flattenLists(draft: Draft, embed: Embed, parent: RowScope): ReturnType<typeof flattenSpread> {
  const names = listOutputNames(embed.node.outputs);
  const lists = names.map((_, index) => `pg_catalog.to_jsonb(_.c${index + 1}) as c${index + 1}`).join(",");
  const places = names.map((_, index) => `c${index + 1}`).join(",");
  return {
    rows: `select ${lists} from (${renderSpreadRows(draft, embed, parent)}) _(${places})`,
    cells: names.map((name, index) => ({ name, value: `c${index + 1}`, aggregate: null, own: null, isRelated: true })),
  };
}
