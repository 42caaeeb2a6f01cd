import { EVAL_EXPECTATION_KINDS, EVAL_RUN_STATUSES, type EvalExpectation } from "@swarmbase/sdk";
import { isRecord } from "../../json/index.ts";
import { type Fault, FINE, fault, nullable, type Row, type Value, valueOf } from "../fields/field.ts";
import { jsonObject } from "../fields/json-field.ts";
import { BIGINT_MAX, boolean, COST_MAX_USD, INTEGER_MAX, integer, number, timestamp } from "../fields/plain-fields.ts";
import { choice, text } from "../fields/text-field.ts";
import { uuid } from "../fields/uuid-field.ts";
import { tableRule } from "./table-rule.ts";

const COUNT = { min: 0, max: INTEGER_MAX };
const TOKENS = { min: 0, max: BIGINT_MAX };
const MAX_TEXTS = 50;

export const EVAL_DATASETS = tableRule({
  name: "eval_datasets",
  required: ["name"],
  requiredOfService: ["user_id"],
  ignored: ["created_at", "updated_at"],
  fields: {
    id: uuid(),
    user_id: uuid(),
    name: text("eval_datasets.name"),
    description: nullable(text("eval_datasets.description")),
  },
});

export const EVAL_CASES = tableRule({
  name: "eval_cases",
  required: ["dataset_id", "name", "input", "expectation"],
  requiredOfService: ["user_id"],
  ignored: ["created_at", "updated_at"],
  fields: {
    id: uuid(),
    user_id: uuid(),
    dataset_id: uuid(),
    name: text("eval_cases.name"),
    input: text("eval_cases.input", (value) => (value.trim() === "" ? fault("must not be empty") : FINE)),
    expectation: jsonObject("eval_cases.expectation", checkExpectation),
    position: integer(COUNT),
  },
});

export const EVAL_RUNS = tableRule({
  name: "eval_runs",
  required: ["dataset_id", "agent_id", "agent_version"],
  requiredOfService: ["user_id"],
  fields: {
    id: uuid(),
    user_id: uuid(),
    dataset_id: uuid(),
    agent_id: nullable(uuid()),
    agent_version: integer({ min: 1, max: INTEGER_MAX }),
    baseline_run_id: nullable(uuid()),
    status: choice(EVAL_RUN_STATUSES),
    case_count: integer(COUNT),
    passed_count: integer(COUNT),
    regression_count: integer(COUNT),
    finished_at: nullable(timestamp()),
  },
});

export const EVAL_RESULTS = tableRule({
  name: "eval_results",
  required: ["eval_run_id", "case_name", "input", "expectation", "passed"],
  requiredOfService: ["user_id"],
  fields: {
    id: uuid(),
    user_id: uuid(),
    eval_run_id: uuid(),
    case_id: nullable(uuid()),
    case_name: text("eval_results.case_name"),
    input: text("eval_results.input"),
    expectation: jsonObject("eval_results.expectation"),
    passed: boolean(),
    is_regression: boolean(),
    score: nullable(number({ min: 0, max: 1 })),
    reason: nullable(text("eval_results.reason")),
    output: nullable(text("eval_results.output")),
    run_id: nullable(uuid()),
    latency_ms: nullable(integer(COUNT)),
    input_tokens: nullable(integer(TOKENS)),
    output_tokens: nullable(integer(TOKENS)),
    cost_usd: nullable(number({ min: 0, max: COST_MAX_USD })),
  },
});

const KINDS: readonly unknown[] = EVAL_EXPECTATION_KINDS;

/** The members that each kind needs. The runner of the evals checks the optional ones. */
function checkExpectation(expectation: Row): readonly Fault[] {
  const kind = valueOf(expectation, "kind");
  if (!KINDS.includes(kind)) return at("kind", `must be one of ${KINDS.join(", ")}`);
  switch (kind as EvalExpectation["kind"]) {
    case "exact":
      return typeof valueOf(expectation, "text") === "string" ? FINE : at("text", "must be a string");
    case "contains":
      return isTextList(valueOf(expectation, "texts")) ? FINE : at("texts", `must be 1 to ${MAX_TEXTS} strings`);
    case "schema":
      return isRecord(valueOf(expectation, "schema")) ? FINE : at("schema", "must be a JSON Schema");
    case "judge":
      return isFilled(valueOf(expectation, "criteria")) ? FINE : at("criteria", "must be a text that is not empty");
    case "tool_called":
      return isFilled(valueOf(expectation, "tool")) ? FINE : at("tool", "must be the name of a tool");
  }
}

function isTextList(value: Value | undefined): boolean {
  return (
    Array.isArray(value) &&
    value.length > 0 &&
    value.length <= MAX_TEXTS &&
    value.every((item) => typeof item === "string" && item !== "")
  );
}

function isFilled(value: Value | undefined): boolean {
  return typeof value === "string" && value.trim() !== "";
}

function at(path: string, message: string): readonly Fault[] {
  return [{ path, message, code: null }];
}
