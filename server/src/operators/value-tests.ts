import { compileLike } from "./compile-like.ts";

export type Compare = (left: string, right: string) => number;
type IsEqual = (left: string, right: string) => boolean;

/** What is known about the type of a column. Values are the texts that PostgreSQL writes. */
export interface OperandType {
  readonly kind: string;
  /** Null means that only the database knows the order. */
  readonly compare: Compare | null;
  /** Null means that only the database knows which values are equal. */
  readonly isEqual: IsEqual | null;
}

/** Null is SQL's unknown. */
type ValueTest = (value: string | null) => boolean | null;

/** Returns null when only the database can test values of this type. */
export type CompileTest = (operands: readonly string[], type: OperandType) => ValueTest | null;

/** For regular expressions: one that a client sends must not be able to block this process. */
export const inDatabase: CompileTest = () => null;

export const testEqual: CompileTest = ([operand = ""], { isEqual }) =>
  isEqual && strict((value) => isEqual(value, operand));

export const testUnequal: CompileTest = ([operand = ""], { isEqual }) =>
  isEqual && strict((value) => !isEqual(value, operand));

export function testOrder(holds: (order: number) => boolean): CompileTest {
  return ([operand = ""], { compare }) => compare && strict((value) => holds(compare(value, operand)));
}

export const testLike: CompileTest = ([pattern = ""], type) => testPattern(pattern, type, true);
export const testIlike: CompileTest = ([pattern = ""], type) => testPattern(pattern, type, false);

function testPattern(pattern: string, { kind }: OperandType, isCaseSensitive: boolean): ValueTest | null {
  const matches = kind === "text" ? compileLike(pattern, isCaseSensitive) : null;
  return matches && strict(matches);
}

export const testMembership: CompileTest = (operands, { isEqual }) => {
  // Not even null is unknown here: `null = any ('{}')` is false.
  if (operands.length === 0) return () => false;
  return isEqual && strict((value) => operands.some((operand) => isEqual(value, operand)));
};

export const testDistinct: CompileTest = ([operand = ""], { isEqual }) =>
  isEqual && ((value) => value === null || !isEqual(value, operand));

export const testState: CompileTest = ([state], { kind }) => {
  switch (state) {
    case "null":
    case "not_null":
      // A row whose fields are all null counts as null.
      return kind === "composite" ? null : (value) => (value === null) === (state === "null");
    case "true":
      return kind === "boolean" ? (value) => value === "t" : null;
    case "false":
      return kind === "boolean" ? (value) => value === "f" : null;
    default:
      return kind === "boolean" ? (value) => value === null : null;
  }
};

/** As strict functions in SQL: unknown for null. */
function strict(test: (value: string) => boolean): ValueTest {
  return (value) => (value === null ? null : test(value));
}
