import { isRecord, type JsonRecord } from "swarmbase/extension";

/** What decides whether a provider accepts a schema for the answers of its models. */
export interface SchemaTraits {
  readonly isObject: boolean;
  /** No object accepts properties that the schema does not name. */
  isClosed: boolean;
  optionalCount: number;
  /** All keywords are ones that constrain or describe plain values. */
  isPlain: boolean;
}

const PLAIN_KEYWORDS: ReadonlySet<string> = new Set([
  "$schema",
  "$ref",
  "$defs",
  "definitions",
  "title",
  "description",
  "type",
  "enum",
  "const",
  "properties",
  "required",
  "additionalProperties",
  "items",
  "anyOf",
]);
const NAMING_KEYWORDS: ReadonlySet<string> = new Set(["properties", "$defs", "definitions", "patternProperties"]);
const VALUE_KEYWORDS: ReadonlySet<string> = new Set(["enum", "const", "default", "examples", "required"]);

export function readSchemaTraits(schema: JsonRecord): SchemaTraits {
  const traits: SchemaTraits = {
    isObject: schema["type"] === "object",
    isClosed: true,
    optionalCount: 0,
    isPlain: true,
  };
  walk(schema, traits);
  return traits;
}

/** Stored schemas have a limited depth. */
function walk(schema: unknown, traits: SchemaTraits): void {
  if (Array.isArray(schema)) {
    for (const item of schema) walk(item, traits);
    return;
  }
  if (!isRecord(schema)) return;
  const { type, properties, required } = schema;
  if (type === "object" || properties !== undefined) {
    const names = isRecord(properties) ? Object.keys(properties) : [];
    const requiredNames: readonly unknown[] = Array.isArray(required) ? required : [];
    if (schema["additionalProperties"] !== false) traits.isClosed = false;
    traits.optionalCount += names.filter((name) => !requiredNames.includes(name)).length;
  }
  for (const [keyword, value] of Object.entries(schema)) {
    if (!PLAIN_KEYWORDS.has(keyword)) traits.isPlain = false;
    if (VALUE_KEYWORDS.has(keyword)) continue;
    if (NAMING_KEYWORDS.has(keyword) && isRecord(value)) for (const inner of Object.values(value)) walk(inner, traits);
    else walk(value, traits);
  }
}
