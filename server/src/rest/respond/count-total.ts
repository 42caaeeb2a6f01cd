import type { Plan } from "../plan/plan.ts";
import type { MainResult } from "./main-result.ts";

export interface TotalFacts {
  readonly plan: Plan;
  readonly result: MainResult;
  readonly offset: number;
  /** The planner's guess; null when it was not asked. */
  readonly estimate: number | null;
  readonly maxRows: number | null;
}

/** How many rows there are without the window, as exactly as was asked for. Null: unknown. */
export function countTotal(facts: TotalFacts): number | null {
  const { plan, result } = facts;
  switch (plan.answer.count) {
    case null:
      return null;
    case "exact":
      return result.total;
    case "planned":
      return facts.estimate === null ? null : atLeastSeen(facts.estimate, facts);
    case "estimated":
      return isCountCut(facts) ? atLeastSeen(Math.max(facts.estimate ?? 0, result.total ?? 0), facts) : result.total;
  }
}

/** Counting stops one row behind the cap, from where on only the planner has a word. */
function isCountCut({ plan, result, maxRows }: TotalFacts): boolean {
  return plan.answer.countCap !== null && maxRows !== null && (result.total ?? 0) > maxRows;
}

/** A guess below what stands in the answer would contradict it. */
function atLeastSeen(guess: number, { result, offset }: TotalFacts): number {
  return result.rows === 0 ? guess : Math.max(guess, offset + result.rows);
}
