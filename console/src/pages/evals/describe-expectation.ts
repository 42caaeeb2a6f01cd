import type { EvalExpectation } from "@swarmbase/sdk";

export const KIND_LABELS: Readonly<Record<EvalExpectation["kind"], string>> = {
  exact: "Exact text",
  contains: "Contains texts",
  schema: "JSON Schema",
  judge: "Judge",
  tool_called: "Tool called",
};

/** One line about what the answer has to be. */
export function describeExpectation(expectation: EvalExpectation): string {
  switch (expectation.kind) {
    case "exact":
      return `is “${expectation.text}”`;
    case "contains":
      return `contains ${expectation.texts.map((text) => `“${text}”`).join(", ")}`;
    case "schema":
      return "is JSON that satisfies a schema";
    case "judge":
      return `meets: ${expectation.criteria}`;
    case "tool_called":
      return `calls ${expectation.tool}`;
  }
}
