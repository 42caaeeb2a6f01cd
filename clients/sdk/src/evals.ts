export const EVAL_RUN_STATUSES = ["running", "completed", "failed", "cancelled"] as const;
export type EvalRunStatus = (typeof EVAL_RUN_STATUSES)[number];

/** What the answer to a case of a dataset has to be. */
export type EvalExpectation =
  /** The answer is the text, apart from white space around it. */
  | { kind: "exact"; text: string; ignore_case?: boolean }
  /** The answer has all of the texts. */
  | { kind: "contains"; texts: string[]; ignore_case?: boolean }
  /** The answer is JSON that satisfies the JSON Schema. */
  | { kind: "schema"; schema: Record<string, unknown> }
  /** An agent decides by the criteria. `min_score`, from 0 to 1, is the lowest score that passes. */
  | { kind: "judge"; criteria: string; agent_id?: string; min_score?: number }
  /** The agent calls the tool of this name. */
  | { kind: "tool_called"; tool: string };

export const EVAL_EXPECTATION_KINDS = [
  "exact",
  "contains",
  "schema",
  "judge",
  "tool_called",
] as const satisfies readonly EvalExpectation["kind"][];
