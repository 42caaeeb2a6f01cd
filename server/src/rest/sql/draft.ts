import type { QualifiedName } from "../catalogue/catalogue.ts";
import type { Embed, ReadNode, Placeholder } from "../plan/plan.ts";
import { MAX_IDENTIFIER_BYTES, quoteIdentifier } from "./quote.ts";

/** The rows that expressions speak of, within the part of a statement where they can be seen. */
export interface RowScope {
  /** Quoted, before the dot of a column. */
  readonly name: string;
  /** The row as a whole, of the type that functions over it take. */
  readonly row: string;
  /** The row is a record of which nothing is known, held as JSON in the only column. */
  readonly isRecord: boolean;
}

/** Where a node reads its rows from, and what ties them to the node above. */
export interface NodeFrame {
  readonly from: string;
  readonly scope: RowScope;
  readonly joins: readonly string[];
  /** The row type; null when it has no name. */
  readonly type: QualifiedName | null;
  /** More than one row would be a mistake in what the relation promises. */
  readonly isSingle: boolean;
}

/** A statement while it is written. */
export interface Draft {
  readonly parameters: readonly Placeholder[];
  /** A parameter of its own for each use, so that each gets the type of the place where it stands. */
  parameter(placeholder: Placeholder): string;
  /** A quoted name that nothing else in the statement has. The first to ask for a name gets just that. */
  alias(name: string): string;
  /** Nodes hold embeds and predicates, which hold nodes. */
  readonly renderNode: NodeRenderer;
  readonly renderExists: ExistsRenderer;
}

type NodeRenderer = (draft: Draft, node: ReadNode, frame: NodeFrame) => string;
type ExistsRenderer = (draft: Draft, embed: Embed, parent: RowScope) => string;

/** The column of rows that are no rows: scalars, and records of which nothing is known. */
export const ONLY_COLUMN = `"_value"`;

export function createDraft(renderers: Pick<Draft, "renderNode" | "renderExists">): Draft {
  const parameters: Placeholder[] = [];
  const taken = new Set<string>();
  return {
    ...renderers,
    parameters,
    parameter(placeholder) {
      return `$${parameters.push(placeholder)}`;
    },
    alias(name) {
      let alias = name;
      if (taken.has(alias)) alias = `${hasRoom(name) ? name : "_rows"}_${taken.size}`;
      while (taken.has(alias)) alias += "_";
      taken.add(alias);
      return quoteIdentifier(alias);
    },
  };
}

export function scopeOfTable(name: string): RowScope {
  return { name, row: `${name}.*`, isRecord: false };
}

/** Rows that went through a sub-select have lost the name of their type. */
export function scopeOfRows(name: string, type: string | null): RowScope {
  return { name, row: type === null ? `${name}.*` : `(${name}.*)::${type}`, isRecord: false };
}

/** For a number behind it. */
function hasRoom(name: string): boolean {
  return Buffer.byteLength(name) <= MAX_IDENTIFIER_BYTES - 10;
}
