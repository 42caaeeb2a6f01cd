import { AGENT_SETTINGS } from "@swarmbase/sdk";
import { isRecord, type JsonRecord } from "../../json/index.ts";
import type { SchemaCompiler } from "./schema-compiler.ts";

/** Why a schema cannot be a response_schema, or null. The fault follows the name of the field. */
export function findResponseSchemaFault(schemas: SchemaCompiler, schema: JsonRecord): string | null {
  const { maxBytes } = AGENT_SETTINGS.response_schema;
  if (Buffer.byteLength(JSON.stringify(schema)) > maxBytes) return `must be at most ${maxBytes} bytes of JSON`;
  const compiled = schemas.compile(schema);
  return compiled.ok ? null : compiled.fault;
}

/** The schema in the settings of an agent or in a stored request; null when there is none. */
export function responseSchemaOf(settings: JsonRecord): JsonRecord | null {
  const schema = settings["response_schema"];
  return isRecord(schema) ? schema : null;
}

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
