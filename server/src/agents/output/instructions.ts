import type { JsonRecord } from "../../json/index.ts";

/** For models whose provider does not take a schema. */
export function describeSchema(schema: JsonRecord): string {
  return [
    "Your final answer must be a single JSON value, without a code block and without any text before or after it.",
    `It must satisfy this JSON Schema:\n${JSON.stringify(schema)}`,
  ].join(" ");
}

/** Tells the model why its answer is not valid. `fault` is a sentence without its period. */
export function describeRepair(schema: JsonRecord, fault: string): string {
  return `(Your last answer was rejected: ${fault}. Answer again. ${describeSchema(schema)})`;
}
