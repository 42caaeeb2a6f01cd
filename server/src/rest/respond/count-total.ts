import type { Plan } from "../plan/plan.ts";
import type { MainResult } from "./main-result.ts";

export interface TotalInput {
  readonly plan: Plan;
  readonly result: MainResult;
  readonly offset: number;
  /** The planner's guess; null when it was not asked. */
  readonly estimate: number | null;
  readonly maxRows: number | null;
}

/** How many rows there are without the window, as exactly as was asked for. Null: unknown. */
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

/** Counting stops one row behind the cap, from where on only the planner has a word. */
function isCountCut({ plan, result, maxRows }: TotalInput): boolean {
  return plan.answer.countCap !== null && maxRows !== null && (result.total ?? 0) > maxRows;
}

/** A guess below what stands in the answer would contradict it. */
function atLeastSeen(guess: number, { result, offset }: TotalInput): number {
  return result.rows === 0 ? guess : Math.max(guess, offset + result.rows);
}
