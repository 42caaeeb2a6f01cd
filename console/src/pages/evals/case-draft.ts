import { type EvalExpectation, FIELD_BOUNDS } from "@swarmbase/sdk";
import type { EvalCase, EvalCaseDraft, SuggestedCase } from "../../data/eval-cases.ts";

/** The fields of the form. Those of the other kinds keep what was typed while the kind changes. */
export interface CaseForm {
  readonly name: string;
  readonly input: string;
  readonly kind: EvalExpectation["kind"];
  readonly text: string;
  readonly texts: readonly string[];
  readonly ignoresCase: boolean;
  /** Null while the text is not valid JSON. */
  readonly schema: Readonly<Record<string, unknown>> | null;
  readonly criteria: string;
  /** Empty when the run names the judge. */
  readonly judgeId: string;
  /** Empty when the judge decides. */
  readonly minScore: string;
  readonly tool: string;
}

export const EMPTY_CASE: CaseForm = {
  name: "",
  input: "",
  kind: "contains",
  text: "",
  texts: [""],
  ignoresCase: false,
  schema: { type: "object", properties: {}, required: [] },
  criteria: "",
  judgeId: "",
  minScore: "",
  tool: "",
};

export function formOf({ name, input, expectation }: EvalCase): CaseForm {
  return { ...EMPTY_CASE, name, input, kind: expectation.kind, ...fieldsOf(expectation) };
}

const MAX_NAME = FIELD_BOUNDS["eval_cases.name"].max;

/** A new case for a question that was answered well: its answer is the text of each kind that has one. */
export function formOfSuggestion({ input, answer }: SuggestedCase): CaseForm {
  const [line = ""] = input.trim().split("\n");
  const name = Array.from(line).slice(0, MAX_NAME).join("");
  return { ...EMPTY_CASE, name, input, text: answer, texts: [answer] };
}

function fieldsOf(expectation: EvalExpectation): Partial<CaseForm> {
  switch (expectation.kind) {
    case "exact":
      return { text: expectation.text, ignoresCase: expectation.ignore_case === true };
    case "contains":
      return { texts: expectation.texts, ignoresCase: expectation.ignore_case === true };
    case "schema":
      return { schema: expectation.schema };
    case "judge": {
      const { criteria, agent_id: judgeId = "", min_score: minScore } = expectation;
      return { criteria, judgeId, minScore: minScore === undefined ? "" : String(minScore) };
    }
    case "tool_called":
      return { tool: expectation.tool };
  }
}

type RenderedCase =
  | { readonly draft: EvalCaseDraft }
  /** Field of the form → error message. */
  | { readonly faults: Readonly<Record<string, string>> };

/** The service checks name and input, and reports a wrong expectation as a whole; its members are checked here. */
export function renderCase(form: CaseForm): RenderedCase {
  const { name, input } = form;
  const faults = findFaults(form);
  return Object.keys(faults).length > 0 ? { faults } : { draft: { name, input, expectation: renderExpectation(form) } };
}

function findFaults({ kind, texts, schema, criteria, minScore, tool }: CaseForm): Record<string, string> {
  switch (kind) {
    case "exact":
      return {};
    case "contains":
      return texts.some((text) => text !== "") ? {} : { texts: "Enter at least one text." };
    case "schema":
      return schema === null ? { schema: "Must be a JSON object: { … }" } : {};
    case "judge": {
      const score = minScore.trim() === "" ? 0 : Number(minScore);
      return {
        ...(criteria.trim() === "" && { criteria: "Enter the criteria." }),
        ...(!(score >= 0 && score <= 1) && { minScore: "Must be a number from 0 to 1." }),
      };
    }
    case "tool_called":
      return tool === "" ? { tool: "Enter the name of a tool." } : {};
  }
}

function renderExpectation(form: CaseForm): EvalExpectation {
  const folded = form.ignoresCase ? { ignore_case: true } : {};
  switch (form.kind) {
    case "exact":
      return { kind: "exact", text: form.text, ...folded };
    case "contains":
      return { kind: "contains", texts: form.texts.filter((text) => text !== ""), ...folded };
    case "schema":
      return { kind: "schema", schema: { ...form.schema } };
    case "judge": {
      const { criteria, judgeId, minScore } = form;
      return {
        kind: "judge",
        criteria,
        ...(judgeId !== "" && { agent_id: judgeId }),
        ...(minScore.trim() !== "" && { min_score: Number(minScore) }),
      };
    }
    case "tool_called":
      return { kind: "tool_called", tool: form.tool };
  }
}
