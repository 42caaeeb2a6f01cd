import { OPERATORS, type Operator, type Quantifier } from "../operators.ts";

interface RenderedOperands {
  readonly left: string;
  /** Of a list, and with a quantifier: an array or a subquery. */
  readonly right: string;
}

/** A condition, but for text searches, whose operands depend on the type of the column. */
export function renderOperation(
  operator: Operator,
  quantifier: Quantifier | null,
  { left, right }: RenderedOperands,
): string {
  const { sql, operand } = OPERATORS[operator];
  const quantified = operand === "list" ? "any" : quantifier;
  return quantified === null ? `${left} ${sql} ${right}` : `${left} ${sql} ${quantified}(${right})`;
}
