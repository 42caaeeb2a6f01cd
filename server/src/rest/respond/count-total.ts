import type { Plan } from "../plan/plan.ts";
import type { MainResult } from "./main-result.ts";

export interface TotalInput {
  readonly plan: Plan;
  readonly result: MainResult;
  readonly offset: number;
  /** The planner's estimate; null when it was not requested. */
  readonly estimate: number | null;
  readonly maxRows: number | null;
}

/** The number of rows without the window, by the requested kind of count. Null: unknown. */
export function countTotal(input: TotalInput): number | null {
  const { plan, result } = input;
  switch (plan.answer.count) {
    case null:
      return null;
    case "exact":
      return result.total;
    case "planned":
      return input.estimate === null ? null : atLeastSeen(input.estimate, input);
    case "estimated":
      return isCountCut(input) ? atLeastSeen(Math.max(input.estimate ?? 0, result.total ?? 0), input) : result.total;
  }
}

/** The count stops one row after the cap; beyond it the estimate is used. */
function isCountCut({ plan, result, maxRows }: TotalInput): boolean {
  return plan.answer.countCap !== null && maxRows !== null && (result.total ?? 0) > maxRows;
}

/** An estimate is at least the number of rows that the response shows. */
function atLeastSeen(guess: number, { result, offset }: TotalInput): number {
  return result.rows === 0 ? guess : Math.max(guess, offset + result.rows);
}
