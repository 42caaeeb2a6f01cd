import type { EvalExpectation } from "../evals.ts";

export interface EvalCase {
  readonly id: string;
  readonly name: string;
  readonly input: string;
  readonly expectation: EvalExpectation;
}

export interface EvalDataset {
  readonly id: string;
  readonly name: string;
  /** In their order. */
  readonly cases: readonly EvalCase[];
}

/** A case that an agent has to judge and that names none; null when there is none. */
export function findUnjudged({ cases }: Pick<EvalDataset, "cases">): EvalCase | null {
  return cases.find(({ expectation }) => expectation.kind === "judge" && expectation.agent_id === undefined) ?? null;
}
