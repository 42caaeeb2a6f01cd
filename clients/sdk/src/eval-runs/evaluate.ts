import type { EvalExpectation } from "../evals.ts";
import type { Answer } from "./ask.ts";
import type { Verdict } from "./judge.ts";

interface EvaluationPorts {
  findAnswerFault(schema: Readonly<Record<string, unknown>>, text: string): Promise<string | null>;
  judge(expectation: Extract<EvalExpectation, { kind: "judge" }>, text: string): Promise<Verdict>;
}

const MAX_SHOWN = 80;

/** Whether the answer is what the case expects. */
export async function evaluate(
  expectation: EvalExpectation,
  { text, tools, failure }: Pick<Answer, "text" | "tools" | "failure">,
  ports: EvaluationPorts,
): Promise<Verdict> {
  // A call that waits for an approval is a call: the answer does not matter.
  if (expectation.kind === "tool_called") return checkTool(expectation.tool, tools, failure);
  if (failure !== null) return decide(false, failure);
  switch (expectation.kind) {
    case "exact": {
      const fold = foldCase(expectation.ignore_case);
      const isSame = fold(text.trim()) === fold(expectation.text.trim());
      return decide(isSame, isSame ? "the answer is the text" : `the answer is not ${show(expectation.text)}`);
    }
    case "contains": {
      const fold = foldCase(expectation.ignore_case);
      const missing = expectation.texts.find((each) => !fold(text).includes(fold(each)));
      if (missing !== undefined) return decide(false, `the answer does not contain ${show(missing)}`);
      return decide(true, `the answer contains ${expectation.texts.map(show).join(", ")}`);
    }
    case "schema": {
      const fault = await ports.findAnswerFault(expectation.schema, text);
      return decide(fault === null, fault ?? "the answer satisfies the schema");
    }
    case "judge":
      return ports.judge(expectation, text);
  }
}

function checkTool(tool: string, tools: readonly string[], failure: string | null): Verdict {
  if (tools.includes(tool)) return decide(true, `the agent called ${tool}`);
  const called = tools.length === 0 ? "no tool" : tools.join(", ");
  return decide(false, `the agent called ${called}, not ${tool}${failure === null ? "" : `; ${failure}`}`);
}

function decide(passed: boolean, reason: string): Verdict {
  return { passed, score: null, reason };
}

function foldCase(ignores: boolean | undefined): (text: string) => string {
  return (text) => (ignores === true ? text.toLowerCase() : text);
}

function show(text: string): string {
  const json = JSON.stringify(text);
  return json.length <= MAX_SHOWN ? json : `${json.slice(0, MAX_SHOWN)}…"`;
}
