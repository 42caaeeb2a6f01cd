import type { EvalExpectation } from "../evals.ts";
import { isSameJson } from "../is-same-json.ts";
import type { Json } from "../json.ts";
import type { EvalCase } from "./eval-dataset.ts";

/** The earlier run that results are compared with. */
export interface EvalBaseline {
  readonly id: string;
  readonly agentVersion: number;
  readonly results: readonly {
    readonly case_id: string | null;
    readonly input: string;
    readonly expectation: EvalExpectation;
    readonly passed: boolean;
  }[];
}

/**
 * The latest run of the dataset and the agent with these columns is the baseline. One with a regression is none: a regression
 * stays one until it is repaired, or until a run is compared with a baseline that has it.
 */
export const BASELINE_COLUMNS = { status: "completed", regression_count: 0 } as const;

/** Whether the case passed before; null when it is new, or has changed since. */
export function findEarlier(baseline: EvalBaseline | null, { id, input, expectation }: EvalCase): boolean | null {
  const earlier = baseline?.results.find((result) => result.case_id === id);
  if (earlier === undefined || earlier.input !== input) return null;
  return isSameJson(earlier.expectation as Json, expectation as Json) ? earlier.passed : null;
}
