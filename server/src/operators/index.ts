// In charge of: the operators of filters, one row each: their SQL, their operand, their test of a value in memory.
// Not in charge of: the syntax of filters, which differs between URLs (rest) and subscriptions (realtime).
export {
  IS_STATES,
  isOperator,
  type IsState,
  isState,
  type OperandKind,
  OPERATORS,
  type Operator,
  type Quantifier,
  REALTIME_OPERATORS,
  toPattern,
} from "./operators.ts";
export { renderOperation } from "./sql/render-operation.ts";
export type { Compare, OperandType } from "./value-tests.ts";
