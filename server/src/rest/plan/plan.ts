import type { IsState, Operator, Quantifier } from "../../operators/index.ts";
import type {
  Column,
  DataType,
  FunctionEntry,
  MediaHandler,
  Parameter,
  QualifiedName,
} from "../catalogue/catalogue.ts";
import type { Relationship } from "../catalogue/relationships.ts";
import type { Aggregate, JsonStep } from "../parse/parsed-request.ts";

/**
 * A query as data. Names exist in the catalogue or are left to the database to reject, and every value of the caller is a
 * placeholder, so that requests of one shape share one plan and one statement.
 */
export type Plan = ReadPlan | WritePlan | CallPlan;

/** Index into the values of the parameterised request. */
export type Placeholder = number;

export interface ReadPlan {
  readonly kind: "read";
  readonly root: ReadNode;
  readonly answer: AnswerPlan;
}

export interface WritePlan {
  readonly kind: "write";
  readonly write: Write;
  /** What is returned of the written rows; its source is `written`. Null when no rows are returned. */
  readonly shown: ReadNode | null;
  readonly answer: AnswerPlan;
}

export interface CallPlan {
  readonly kind: "call";
  readonly call: Call;
  /** Reads from the rows of the call (source `call`); null when the result cannot be selected from. */
  readonly shown: ReadNode | null;
  readonly answer: AnswerPlan;
}

/** How the rows become the result of the statement. */
export interface AnswerPlan {
  readonly body: BodyForm;
  /** `capped`: an exact count that stops at the count cap, for callers whom an estimate would tell about rows that they cannot see. */
  readonly count: "exact" | "planned" | "estimated" | "capped" | null;
  /** The statement fails unless it yields exactly one row, so that a write is rolled back. */
  readonly mustBeSingle: boolean;
  /** The statement fails when it affects more rows. */
  readonly maxAffected: Placeholder | null;
  /** Whether the row cap limits the rows. */
  readonly isCapped: boolean;
  /** The statement counts the bytes of its result and fails beyond the limit, so that a write is rolled back. */
  readonly isCounted?: boolean;
  /** The statement stores its result under the idempotency key of its transaction. */
  readonly isKept?: boolean;
  /** Only the execution plan of the statement is read: it has the aggregate of PostgREST's, whose body is one value. */
  readonly isExplained?: boolean;
}

export type BodyForm =
  /** No body: rows are only counted. */
  | { readonly kind: "none" }
  | { readonly kind: "array"; readonly hasNulls: boolean }
  | { readonly kind: "object"; readonly hasNulls: boolean }
  | { readonly kind: "csv" }
  | { readonly kind: "geojson" }
  /** The bare value of a function: a scalar, one composite, or a list of scalars. */
  | { readonly kind: "value"; readonly hasNulls: boolean }
  /** The bytes or the text of a scalar function result, without JSON. */
  | { readonly kind: "raw"; readonly encoding: "text" | "hex" }
  /** The result of an aggregate over the rows, without JSON. */
  | { readonly kind: "handler"; readonly handler: Pick<MediaHandler, "function" | "target" | "encoding"> };

export type Source =
  | { readonly kind: "relation"; readonly relation: QualifiedName }
  | { readonly kind: "computed"; readonly function: QualifiedName }
  | { readonly kind: "written" }
  | { readonly kind: "call" };

/** One level of the response: its rows, their order and their outputs. */
export interface ReadNode {
  readonly source: Source;
  readonly outputs: readonly Output[];
  /** All must hold. Inner embeds are among them as `exists`. */
  readonly where: readonly Predicate[];
  readonly order: readonly OrderBy[];
  readonly limit: Placeholder | null;
  readonly offset: Placeholder | null;
  /** The row cap takes the place of a limit. One row more is read, which shows that there are more. */
  readonly isCapped?: boolean;
  /** An output, possibly of a spread, is an aggregate: the rows are grouped by all others. */
  readonly isAggregated: boolean;
}

export type Output =
  | { readonly kind: "star" }
  /** `representedBy`: the function that makes JSON of the value. */
  | {
      readonly kind: "value";
      readonly name: string;
      readonly value: Expression;
      readonly representedBy?: QualifiedName;
    }
  /** `value` null: `count()` of rows. */
  | {
      readonly kind: "aggregate";
      readonly name: string;
      readonly function: Aggregate;
      readonly value: Expression | null;
      readonly cast: string | null;
    }
  | { readonly kind: "embed"; readonly name: string; readonly embed: Embed }
  /** To-one: its outputs are added to the parent. To-many: each of its outputs becomes a list. */
  | { readonly kind: "spread"; readonly embed: Embed };

export interface Embed {
  readonly relationship: Relationship;
  readonly isToOne: boolean;
  readonly node: ReadNode;
}

/** A column or computed field of the node's rows, with its JSON path and cast. */
export interface Expression {
  readonly of: ColumnOf;
  readonly path: readonly JsonStep[];
  /** Arrows apply directly; otherwise the value is converted to JSON first. Meaningless without a path. */
  readonly isJson: boolean;
  readonly cast: string | null;
}

export type ColumnOf =
  /** `type` is null when the column is not known: the database rejects it by name, or it belongs to a bare record. */
  | { readonly kind: "column"; readonly name: string; readonly type: DataType | null }
  | { readonly kind: "computed"; readonly function: QualifiedName; readonly type: DataType }
  /** The result of a function that returns scalars. */
  | { readonly kind: "scalar"; readonly type: DataType };

export type Predicate =
  | {
      readonly kind: "compare";
      readonly left: Expression;
      readonly operator: Operator;
      readonly isNegated: boolean;
      readonly quantifier: Quantifier | null;
      /** Of a list: an array literal. */
      readonly right: Placeholder;
    }
  | {
      readonly kind: "is";
      readonly left: Expression;
      readonly isNegated: boolean;
      readonly state: IsState;
    }
  | {
      readonly kind: "search";
      readonly left: Expression;
      readonly operator: Operator;
      readonly isNegated: boolean;
      readonly config: Placeholder | null;
      readonly right: Placeholder;
      /** The column is a tsvector already. */
      readonly isVector: boolean;
    }
  | {
      readonly kind: "logic";
      readonly operator: "and" | "or";
      readonly isNegated: boolean;
      readonly operands: readonly Predicate[];
    }
  /** The embed has a row, given its filters and, with an offset, its window. */
  | { readonly kind: "exists"; readonly isNegated: boolean; readonly embed: Embed };

export interface OrderBy {
  readonly by:
    | { readonly kind: "own"; readonly value: Expression }
    /** A column of a to-one embed. */
    | { readonly kind: "related"; readonly embed: Embed; readonly value: Expression }
    /** An output of an aggregated node, by its key. */
    | { readonly kind: "output"; readonly name: string };
  readonly direction: "asc" | "desc" | null;
  readonly nulls: "first" | "last" | null;
}

/** Rows of the body as columns: `json_to_recordset` over the text in the placeholder. */
export interface BodyRows {
  readonly text: Placeholder;
  readonly isArray: boolean;
  readonly columns: readonly Column[];
  /** Columns absent from a row get their default, not null. */
  readonly shouldDefault: boolean;
  /** Columns that some rows lack: a new row takes the default, an existing row keeps its value. */
  readonly gaps?: readonly string[];
  /** Every value was sent as text: a JSON column gets the parsed text, not a JSON string. */
  readonly areTexts?: boolean;
}

export type Write =
  | {
      readonly kind: "insert";
      readonly relation: QualifiedName;
      readonly rows: BodyRows;
      readonly conflict: Conflict | null;
      /** Primary key columns for `Location`; null when the header is not sent. */
      readonly location: readonly string[] | null;
      /** PUT: the filters, which the row of the body must match; else nothing is written. */
      readonly putKey: readonly { readonly column: Column; readonly value: Placeholder }[] | null;
    }
  | {
      readonly kind: "update";
      readonly relation: QualifiedName;
      readonly rows: BodyRows;
      readonly where: readonly Predicate[];
      /** Not null: the body is an array, each row of it changes the row with its key, and `rows.columns` holds the key too. */
      readonly matchOn: readonly string[] | null;
      /** Without a column to change, returns the rows that `where` finds instead of none. */
      readonly isUnchangedReturned?: boolean;
    }
  | { readonly kind: "delete"; readonly relation: QualifiedName; readonly where: readonly Predicate[] };

export interface Conflict {
  readonly columns: readonly string[];
  readonly resolution: "merge" | "ignore";
}

export interface Call {
  readonly function: FunctionEntry;
  readonly arguments: CallArguments;
  /** The transaction may write. */
  readonly mayWrite: boolean;
}

export type CallArguments =
  | { readonly kind: "none" }
  /** Each named parameter and the placeholder of its value, as text; a variadic one takes an array literal. */
  | {
      readonly kind: "named";
      readonly values: readonly { readonly parameter: Parameter; readonly value: Placeholder }[];
    }
  /** The parameters are members of the JSON object in the placeholder. */
  | { readonly kind: "json"; readonly text: Placeholder; readonly parameters: readonly Parameter[] }
  /** The whole body is the only, unnamed parameter; bytea travels as hex text (`\x…`). */
  | { readonly kind: "body"; readonly body: Placeholder; readonly type: string };
