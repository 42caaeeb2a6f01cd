import { isRecord, type JsonRecord } from "../../../json/index.ts";
import type { CallableTool } from "../tool-port.ts";

/** What an assignment fixes: arguments that the model cannot choose, and lower limits. */
interface Assignment {
  readonly fixed: JsonRecord;
  readonly timeoutMs: number;
  readonly maxOutputChars: number;
}

const OPTIONS: ReadonlySet<string> = new Set(["timeout_ms", "max_output_chars"]);
const MIN_TIMEOUT_MS = 100;

/** A name in the configuration that is an argument of the tool is never an option. */
export function readAssignment(tool: CallableTool): Assignment {
  const { input_schema: schema, configuration } = tool;
  const properties = propertiesOf(schema);
  const isClosed = schema["additionalProperties"] === false;
  const fixed = Object.entries(configuration).filter(
    ([name]) => Object.hasOwn(properties, name) || !(isClosed || OPTIONS.has(name)),
  );
  const option = (name: string): unknown =>
    Object.hasOwn(properties, name) || !Object.hasOwn(configuration, name) ? undefined : configuration[name];
  return {
    fixed: Object.fromEntries(fixed),
    timeoutMs: narrow(option("timeout_ms"), tool.timeout_ms, MIN_TIMEOUT_MS),
    maxOutputChars: narrow(option("max_output_chars"), tool.max_output_chars, 1),
  };
}

/** The schema without the fixed arguments. */
export function narrowSchema(schema: JsonRecord, fixed: JsonRecord): JsonRecord {
  const isOpen = (name: unknown): boolean => typeof name !== "string" || !Object.hasOwn(fixed, name);
  const properties = Object.entries(propertiesOf(schema)).filter(([name]) => isOpen(name));
  const required: unknown = schema["required"];
  return {
    ...schema,
    properties: Object.fromEntries(properties),
    ...(Array.isArray(required) && { required: required.filter(isOpen) }),
  };
}

function propertiesOf(schema: JsonRecord): JsonRecord {
  const properties = schema["properties"];
  return isRecord(properties) ? properties : {};
}

function narrow(value: unknown, max: number, min: number): number {
  if (typeof value !== "number" || !Number.isFinite(value)) return max;
  return Math.min(max, Math.max(min, Math.floor(value)));
}
