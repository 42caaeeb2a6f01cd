import type { Operator, Quantifier } from "../../operators/index.ts";

export interface JsonStep {
  readonly kind: "->" | "->>";
  /** A number is an index into an array (negative: from its end), a string the key of an object. */
  readonly key: string | number;
}

export interface FieldPath {
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
  readonly field: FieldPath;
  readonly alias: string | null;
  readonly cast: string | null;
  readonly aggregate: Aggregate | null;
  readonly aggregateCast: string | null;
}

/** `count()` with no column before it. */
interface CountItem {
  readonly kind: "count";
  readonly alias: string | null;
  readonly cast: string | null;
}

export interface EmbedItem {
  readonly kind: "embed";
  readonly relation: string;
  /** Always null for a spread, which has no key. */
  readonly alias: string | null;
  readonly hint: string | null;
  readonly join: "left" | "inner";
  /** Empty for `rel()`, which only filters its parent. */
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
  readonly field: FieldPath;
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
  readonly field: FieldPath;
  readonly direction: "asc" | "desc" | null;
  readonly nulls: "first" | "last" | null;
}

/** Parameters that apply to one node of the select tree. */
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
  /** The condition that the pair parses as; the function decides whether it is one. Null means that it does not parse as a filter. */
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
  /** As sent; the parser rejects them under `handling=strict`. */
  readonly unknown: readonly string[];
}

export interface MediaType {
  /** Lower case, such as `text/csv` or `text/*`. */
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
  /** JSON text for the database, as sent or converted from CSV or a form. Numbers keep all their digits. */
  readonly text: string;
  readonly isArray: boolean;
  /** The parsed objects of `text`, for rules that inspect values. */
  readonly rows: readonly JsonObject[];
  /** Keys of the first row. All rows have the same keys unless `columns` was given, which replaces them. */
  readonly keys: readonly string[];
  /** Set for tables where an absent key is not null: a new row takes the default, an existing row keeps its value. */
  readonly absent?: AbsentKeys;
}

/** Columns to write that are absent from all rows of the body, or from some. */
export interface AbsentKeys {
  readonly everywhere: readonly string[];
  readonly somewhere: readonly string[];
}

/** JSON that is not an object; only functions accept it. */
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

interface NoBody {
  readonly kind: "none";
}

export type ParsedBody = NoBody | RowsBody | JsonBody | FormBody | RawBody;

export type RequestTarget =
  | { readonly kind: "root" }
  | { readonly kind: "relation"; readonly name: string }
  | { readonly kind: "rpc"; readonly name: string };

export type Method = "GET" | "HEAD" | "POST" | "PATCH" | "PUT" | "DELETE" | "OPTIONS";

export interface ParsedRequest {
  readonly target: RequestTarget;
  readonly method: Method;
  readonly schema: string;
  readonly isProfileGiven: boolean;
  readonly query: ParsedQuery;
  readonly preferences: Preferences;
  /** The window of the root when a Range header was sent; equals the limit and offset of the root. */
  readonly range: { readonly offset: number; readonly limit: number | null } | null;
  /** Best first. */
  readonly accept: readonly MediaType[];
  readonly body: ParsedBody;
  /** Set by the rules of the table: an update that changes no column returns the rows that its filters find. */
  readonly isUnchangedReturned?: boolean;
}
