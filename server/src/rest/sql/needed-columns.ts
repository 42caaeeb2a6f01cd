import type { ReadNode } from "../plan/plan.ts";
import { type Use, usesOf } from "../plan/uses-of.ts";
import { quoteIdentifier } from "./quote.ts";

/** The columns that a node reads of its rows; null means all, because whole rows are returned or passed to a function. */
type NeededColumns = ReadonlySet<string> | null;

export function findNeededColumns(node: ReadNode): NeededColumns {
  if (node.outputs.some(({ kind }) => kind === "star")) return null;
  const needed = new Set<string>();
  for (const use of usesOf(node)) {
    const columns = columnsOf(use);
    if (columns === null) return null;
    for (const column of columns) needed.add(column);
  }
  return needed;
}

/** The needed columns of rows with a (quoted) name. */
export function renderNeeded(needed: NeededColumns, name: string): string {
  return needed === null ? `${name}.*` : [...needed].map((column) => `${name}.${quoteIdentifier(column)}`).join(",");
}

function columnsOf(use: Use): readonly string[] | null {
  if (!("relationship" in use)) return use.of.kind === "column" ? [use.of.name] : null;
  const { relationship } = use;
  if (relationship.kind === "computed") return null;
  const pairs = relationship.kind === "many-to-many" ? relationship.junction.sourceColumns : relationship.columns;
  return pairs.map(([own]) => own);
}
