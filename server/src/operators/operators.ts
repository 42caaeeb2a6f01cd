import {
  type CompileTest,
  inDatabase,
  testDistinct,
  testEquality,
  testMembership,
  testOrder,
  testPattern,
  testState,
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
  /** Compiles the test that realtime applies to changed rows. Null: realtime does not offer the operator. */
  readonly realtime: CompileTest | null;
  /** For the reference page. */
  readonly description: string;
}

/** Every operator of REST and realtime filters, under its name on the wire. */
export const OPERATORS = {
  eq: {
    sql: "=",
    operand: "value",
    isQuantifiable: true,
    realtime: testEquality((isEqual) => isEqual),
    description: "equal",
  },
  neq: {
    sql: "<>",
    operand: "value",
    isQuantifiable: false,
    realtime: testEquality((isEqual) => !isEqual),
    description: "not equal",
  },
  gt: {
    sql: ">",
    operand: "value",
    isQuantifiable: true,
    realtime: testOrder((order) => order > 0),
    description: "greater",
  },
  gte: {
    sql: ">=",
    operand: "value",
    isQuantifiable: true,
    realtime: testOrder((order) => order >= 0),
    description: "greater or equal",
  },
  lt: {
    sql: "<",
    operand: "value",
    isQuantifiable: true,
    realtime: testOrder((order) => order < 0),
    description: "less",
  },
  lte: {
    sql: "<=",
    operand: "value",
    isQuantifiable: true,
    realtime: testOrder((order) => order <= 0),
    description: "less or equal",
  },
  like: {
    sql: "like",
    operand: "pattern",
    isQuantifiable: true,
    realtime: testPattern({ isCaseSensitive: true }),
    description: "matches the pattern; `*` stands for `%`",
  },
  ilike: {
    sql: "ilike",
    operand: "pattern",
    isQuantifiable: true,
    realtime: testPattern({ isCaseSensitive: false }),
    description: "matches the pattern in any case; `*` stands for `%`",
  },
  match: {
    sql: "~",
    operand: "regex",
    isQuantifiable: true,
    realtime: inDatabase,
    description: "matches the regular expression",
  },
  imatch: {
    sql: "~*",
    operand: "regex",
    isQuantifiable: true,
    realtime: inDatabase,
    description: "matches the regular expression in any case",
  },
  in: {
    sql: "=",
    operand: "list",
    isQuantifiable: false,
    realtime: testMembership,
    description: "equals a member of the list, `in.(a,b)`",
  },
  is: {
    sql: "is",
    operand: "state",
    isQuantifiable: false,
    realtime: testState,
    description: "`is.null`, `is.not_null`, `is.true`, `is.false`, `is.unknown`",
  },
  isdistinct: {
    sql: "is distinct from",
    operand: "value",
    isQuantifiable: false,
    realtime: testDistinct,
    description: "not equal, where null equals null",
  },
  fts: {
    sql: "to_tsquery",
    operand: "search",
    isQuantifiable: false,
    realtime: null,
    description: "full text, `fts(english).cat & dog`",
  },
  plfts: {
    sql: "plainto_tsquery",
    operand: "search",
    isQuantifiable: false,
    realtime: null,
    description: "full text from plain words",
  },
  phfts: {
    sql: "phraseto_tsquery",
    operand: "search",
    isQuantifiable: false,
    realtime: null,
    description: "full text from a phrase",
  },
  wfts: {
    sql: "websearch_to_tsquery",
    operand: "search",
    isQuantifiable: false,
    realtime: null,
    description: "full text in the syntax of web search engines",
  },
  cs: { sql: "@>", operand: "value", isQuantifiable: false, realtime: null, description: "contains" },
  cd: { sql: "<@", operand: "value", isQuantifiable: false, realtime: null, description: "is contained in" },
  ov: { sql: "&&", operand: "value", isQuantifiable: false, realtime: null, description: "overlaps" },
  sl: { sql: "<<", operand: "value", isQuantifiable: false, realtime: null, description: "range: strictly left of" },
  sr: { sql: ">>", operand: "value", isQuantifiable: false, realtime: null, description: "range: strictly right of" },
  nxr: {
    sql: "&<",
    operand: "value",
    isQuantifiable: false,
    realtime: null,
    description: "range: does not extend to the right of",
  },
  nxl: {
    sql: "&>",
    operand: "value",
    isQuantifiable: false,
    realtime: null,
    description: "range: does not extend to the left of",
  },
  adj: { sql: "-|-", operand: "value", isQuantifiable: false, realtime: null, description: "range: is adjacent to" },
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
