import { AGENT_SETTINGS } from "@swarmbase/sdk";
import { isRecord, type JsonRecord } from "../../json/index.ts";
import type { SchemaCompiler } from "../tools/input/compile-schema.ts";

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
