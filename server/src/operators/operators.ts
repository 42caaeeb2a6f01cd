import {
  type CompileTest,
  inDatabase,
  testDistinct,
  testEqual,
  testIlike,
  testLike,
  testMembership,
  testOrder,
  testState,
  testUnequal,
} from "./value-tests.ts";

/**
 * - `value`: a literal of the column's type, or of what its operator takes (an array, a range, a JSON document)
 * - `pattern`: a LIKE pattern, in which `*` stands for `%`
 * - `regex`: a POSIX regular expression
 * - `list`: values in parentheses
 * - `state`: one of `IS_STATES`
 * - `search`: a text search query, optionally with a configuration
 */
export type OperandKind = "value" | "pattern" | "regex" | "list" | "state" | "search";

/** A preceding `not.` is SQL's NOT for every operator: what is neither true nor false stays so. */
interface OperatorRow {
  /** The SQL operator; of a text search, the function that parses the query. */
  readonly sql: string;
  readonly operand: OperandKind;
  /** REST accepts `op(any)` and `op(all)` with an array of operands. */
  readonly isQuantifiable: boolean;
  /** Compiles the test that realtime applies to changed rows. Null means that realtime does not offer the operator. */
  readonly realtime: CompileTest | null;
  /** For the reference page. */
  readonly description: string;
}

function operator(sql: string, operand: OperandKind, description: string, realtime?: CompileTest): OperatorRow {
  return { sql, operand, description, realtime: realtime ?? null, isQuantifiable: false };
}

function quantifiable(...row: Parameters<typeof operator>): OperatorRow {
  return { ...operator(...row), isQuantifiable: true };
}

function ordered(sql: string, description: string, holds: (order: number) => boolean): OperatorRow {
  return quantifiable(sql, "value", description, testOrder(holds));
}

/** Every operator of REST and realtime filters, under its name on the wire. */
export const OPERATORS = {
  eq: quantifiable("=", "value", "equal", testEqual),
  neq: operator("<>", "value", "not equal", testUnequal),
  gt: ordered(">", "greater", (order) => order > 0),
  gte: ordered(">=", "greater or equal", (order) => order >= 0),
  lt: ordered("<", "less", (order) => order < 0),
  lte: ordered("<=", "less or equal", (order) => order <= 0),
  like: quantifiable("like", "pattern", "matches the pattern; `*` stands for `%`", testLike),
  ilike: quantifiable("ilike", "pattern", "matches the pattern in any case; `*` stands for `%`", testIlike),
  match: quantifiable("~", "regex", "matches the regular expression", inDatabase),
  imatch: quantifiable("~*", "regex", "matches the regular expression in any case", inDatabase),
  in: operator("=", "list", "equals a member of the list, `in.(a,b)`", testMembership),
  is: operator("is", "state", "`is.null`, `is.not_null`, `is.true`, `is.false`, `is.unknown`", testState),
  isdistinct: operator("is distinct from", "value", "not equal, where null equals null", testDistinct),
  fts: operator("to_tsquery", "search", "full text, `fts(english).cat & dog`"),
  plfts: operator("plainto_tsquery", "search", "full text from plain words"),
  phfts: operator("phraseto_tsquery", "search", "full text from a phrase"),
  wfts: operator("websearch_to_tsquery", "search", "full text in the syntax of web search engines"),
  cs: operator("@>", "value", "contains"),
  cd: operator("<@", "value", "is contained in"),
  ov: operator("&&", "value", "overlaps"),
  sl: operator("<<", "value", "range: strictly left of"),
  sr: operator(">>", "value", "range: strictly right of"),
  nxr: operator("&<", "value", "range: does not extend to the right of"),
  nxl: operator("&>", "value", "range: does not extend to the left of"),
  adj: operator("-|-", "value", "range: is adjacent to"),
} as const satisfies Record<string, OperatorRow>;

export type Operator = keyof typeof OPERATORS;

export type Quantifier = "any" | "all";

export const REALTIME_OPERATORS = (Object.keys(OPERATORS) as Operator[]).filter(
  (operator) => OPERATORS[operator].realtime !== null,
);

export function isOperator(name: string): name is Operator {
  return Object.hasOwn(OPERATORS, name);
}

/** Operands of `is` and what each is in SQL. */
export const IS_STATES = {
  null: "null",
  not_null: "not null",
  true: "true",
  false: "false",
  unknown: "unknown",
} as const;

export type IsState = keyof typeof IS_STATES;

export function isState(text: string): text is IsState {
  return Object.hasOwn(IS_STATES, text);
}

/** The LIKE pattern of an operand. URLs need `%` encoded, so clients write `*`. */
export function toPattern(operand: string): string {
  return operand.replaceAll("*", "%");
}
