import type { Operator, Quantifier } from "../../operators/index.ts";

export interface JsonStep {
  readonly kind: "->" | "->>";
  /** A number is an index into an array (negative: from its end), a string the key of an object. */
  readonly key: string | number;
}

export interface Field {
  readonly name: string;
  readonly path: readonly JsonStep[];
}

export const AGGREGATES = ["sum", "avg", "count", "max", "min"] as const;
export type Aggregate = (typeof AGGREGATES)[number];

export interface StarItem {
  readonly kind: "star";
}

export interface ColumnItem {
  readonly kind: "column";
  readonly field: Field;
  readonly alias: string | null;
  readonly cast: string | null;
  readonly aggregate: Aggregate | null;
  readonly aggregateCast: string | null;
}

/** `count()` with no column before it. */
export interface CountItem {
  readonly kind: "count";
  readonly alias: string | null;
  readonly cast: string | null;
}

export interface EmbedItem {
  readonly kind: "embed";
  readonly relation: string;
  /** Always null on a spread, which has no key of its own. */
  readonly alias: string | null;
  readonly hint: string | null;
  readonly join: "left" | "inner";
  /** Empty for `rel()`, which filters its parent and shows nothing. */
  readonly select: readonly SelectItem[];
  readonly isSpread: boolean;
}

export type SelectItem = StarItem | ColumnItem | CountItem | EmbedItem;

export interface Operation {
  readonly operator: Operator;
  readonly isNegated: boolean;
  readonly quantifier: Quantifier | null;
  /** A list for `in`; lower case for `is` (null, not_null, true, false, unknown); for all others the text as it was sent. */
  readonly value: string | readonly string[];
  /** Text search configuration, only with the four text search operators. */
  readonly config: string | null;
}

export interface FilterCondition {
  readonly kind: "filter";
  readonly field: Field;
  readonly operation: Operation;
}

export interface LogicCondition {
  readonly kind: "logic";
  readonly operator: "and" | "or";
  readonly isNegated: boolean;
  readonly conditions: readonly Condition[];
}

export type Condition = FilterCondition | LogicCondition;

export interface OrderTerm {
  /** Set by `rel(column)`: the parent is ordered by a column of a to-one embed. */
  readonly relation: string | null;
  readonly field: Field;
  readonly direction: "asc" | "desc" | null;
  readonly nulls: "first" | "last" | null;
}

/** What applies to one node of the select tree. */
export interface NodeModifiers {
  readonly conditions: readonly Condition[];
  readonly order: readonly OrderTerm[];
  readonly limit: number | null;
  readonly offset: number | null;
}

export interface EmbedModifiers {
  /** Names (or aliases) from the root down; never empty. */
  readonly path: readonly string[];
  readonly modifiers: NodeModifiers;
}

export interface ParsedQuery {
  readonly select: readonly SelectItem[];
  readonly root: NodeModifiers;
  readonly embeds: readonly EmbedModifiers[];
  readonly columns: readonly string[] | null;
  readonly onConflict: readonly string[] | null;
  /** For a function called by GET or HEAD: all parameters with no reserved name, decoded and in order. */
  readonly args: readonly QueryArgument[];
}

export type ArgumentPair = readonly [name: string, value: string];

export interface QueryArgument {
  readonly pair: ArgumentPair;
  /** The condition that the pair is when read as a filter; whether it is one depends on the function. Null: it is no filter. */
  readonly filter: FilterCondition | "of an embed" | null;
}

export interface Preferences {
  readonly return: "minimal" | "headers-only" | "representation" | null;
  readonly count: "exact" | "planned" | "estimated" | null;
  readonly resolution: "merge-duplicates" | "ignore-duplicates" | null;
  readonly missing: "default" | "null" | null;
  readonly handling: "strict" | "lenient" | null;
  readonly maxAffected: number | null;
  readonly tx: "commit" | "rollback" | null;
  readonly timezone: string | null;
  /** As sent; the parser rejects them itself under `handling=strict`. */
  readonly unknown: readonly string[];
}

export interface MediaType {
  /** Lower case, such as `text/csv` or a pattern with a star in place of a half. */
  readonly type: string;
  /** Names in lower case, values unquoted, without `q`. */
  readonly parameters: Readonly<Record<string, string>>;
  /** 0 (never) to 1. */
  readonly quality: number;
}

export type JsonValue = string | number | boolean | null | JsonValue[] | JsonObject;
export interface JsonObject {
  [key: string]: JsonValue;
}

export interface RowsBody {
  readonly kind: "rows";
  readonly source: "json" | "csv" | "form";
  /** JSON text for the database: what was sent, or what CSV or a form stands for. Numbers keep all their digits here. */
  readonly text: string;
  readonly isArray: boolean;
  /** The objects of `text` as JavaScript sees them, for rules that look at values. */
  readonly rows: readonly JsonObject[];
  /** Keys of the first row; all rows have the same ones unless `columns` was given, which then counts instead. */
  readonly keys: readonly string[];
  /** Set for tables where an absent key is not null: a new row takes the default, a row that is there keeps its value. */
  readonly absent?: AbsentKeys;
}

/** Columns that are to be written and that rows of the body leave out: all of the rows, or some of them. */
export interface AbsentKeys {
  readonly everywhere: readonly string[];
  readonly somewhere: readonly string[];
}

/** JSON that is no object; only a function can take it. */
export interface JsonBody {
  readonly kind: "json";
  readonly text: string;
}

/** Bytes for the single unnamed parameter of a function. */
export interface RawBody {
  readonly kind: "raw";
  readonly type: "text/plain" | "text/xml" | "application/octet-stream";
  readonly bytes: Buffer;
}

/** Fields of a form for a function; a name may repeat, for a variadic parameter. */
export interface FormBody {
  readonly kind: "form";
  readonly pairs: readonly ArgumentPair[];
}

export interface NoBody {
  readonly kind: "none";
}

export type ParsedBody = NoBody | RowsBody | JsonBody | FormBody | RawBody;

export type Target =
  | { readonly kind: "root" }
  | { readonly kind: "relation"; readonly name: string }
  | { readonly kind: "rpc"; readonly name: string };

export type Method = "GET" | "HEAD" | "POST" | "PATCH" | "PUT" | "DELETE" | "OPTIONS";

export interface ParsedRequest {
  readonly target: Target;
  readonly method: Method;
  readonly schema: string;
  readonly isProfileGiven: boolean;
  readonly query: ParsedQuery;
  readonly preferences: Preferences;
  /** The root's window when a Range header took part in it; the root's limit and offset then say the same. */
  readonly range: { readonly offset: number; readonly limit: number | null } | null;
  /** Best first. */
  readonly accept: readonly MediaType[];
  readonly body: ParsedBody;
  /** The rules of the table set it: an update that changes no column returns the rows that its filters find. */
  readonly isUnchangedReturned?: boolean;
}
