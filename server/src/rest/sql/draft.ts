import type { QualifiedName } from "../catalogue/catalogue.ts";
import type { Embed, ReadNode, Placeholder } from "../plan/plan.ts";
import { MAX_IDENTIFIER_BYTES, quoteIdentifier, quoteName } from "./quote.ts";

/** The rows that expressions refer to. */
export interface RowScope {
  /** Quoted, before the dot of a column. */
  readonly name: string;
  /** The whole row, in the type that computed fields take. */
  readonly row: string;
  /** The row is a record without known columns, kept as JSON in the only column. */
  readonly isRecord: boolean;
  /** The number of embeds around the rows. */
  readonly depth: number;
}

/** Bounds of a statement. They are settings of the service, so they are literals of its text. */
export interface StatementLimits {
  /** Rows of the result and of each embedded list; null means no limit. */
  readonly maxRows: number | null;
  /** Rows up to which a capped count counts. */
  readonly countCap: number;
  /** Bytes of the result. */
  readonly maxBytes: number;
}

/** The source of a node's rows, and the conditions that join them to the parent. */
export interface NodeFrame {
  readonly from: string;
  readonly scope: RowScope;
  readonly joins: readonly string[];
  /** The row type; null when it has no name. */
  readonly type: QualifiedName | null;
  /** The relationship is declared to have at most one row. */
  readonly isSingle: boolean;
}

/** A statement under construction. */
export interface Draft {
  readonly limits: StatementLimits;
  readonly parameters: readonly Placeholder[];
  /** Each use is a separate parameter, so that PostgreSQL infers its type from the context. */
  parameter(placeholder: Placeholder): string;
  /** A quoted name that is unique in the statement; the first use of a name gets it unchanged. */
  alias(name: string): string;
  /** Passed in, because nodes contain embeds and predicates, which contain nodes. */
  renderNode(draft: Draft, node: ReadNode, frame: NodeFrame): string;
  renderExists(draft: Draft, embed: Embed, parent: RowScope): string;
}

/** The column of scalars and of records without known columns. */
export const ONLY_COLUMN = `"_value"`;

export function createDraft(renderers: Pick<Draft, "renderNode" | "renderExists">, limits: StatementLimits): Draft {
  const parameters: Placeholder[] = [];
  const taken = new Set<string>();
  return {
    ...renderers,
    limits,
    parameters,
    parameter(placeholder) {
      return `$${parameters.push(placeholder)}`;
    },
    alias(name) {
      let alias = name;
      if (taken.has(alias)) alias = `${isSuffixable(name) ? name : "_rows"}_${taken.size}`;
      while (taken.has(alias)) alias += "_";
      taken.add(alias);
      return quoteIdentifier(alias);
    },
  };
}

/** Rows of a sub-select have lost their named type. Null means that they have it, or there is none. */
export function rowScopeOf(name: string, lostType: QualifiedName | null = null): RowScope {
  const row = lostType === null ? `${name}.*` : `(${name}.*)::${quoteName(lostType)}`;
  return { name, row, isRecord: false, depth: 0 };
}

/** Whether a numeric suffix fits. */
function isSuffixable(name: string): boolean {
  return Buffer.byteLength(name) <= MAX_IDENTIFIER_BYTES - 10;
}
