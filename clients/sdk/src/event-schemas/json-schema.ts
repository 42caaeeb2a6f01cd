/** The subset of JSON Schema 2020-12 that events need. */
export interface JsonSchema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly description?: string;
  readonly format?: "uuid" | "date-time";
  readonly pattern?: string;
  readonly const?: string | boolean | null;
  readonly enum?: readonly (string | null)[];
  readonly minimum?: number;
  readonly items?: JsonSchema;
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: JsonSchema;
  readonly anyOf?: readonly JsonSchema[];
}

type Properties = Readonly<Record<string, JsonSchema>>;

/**
 * All of `properties` are required, those of `optional` are not. Later versions can add members, so none are forbidden.
 */
export function record(properties: Properties, optional: Properties = {}): JsonSchema {
  return { type: "object", properties: { ...properties, ...optional }, required: Object.keys(properties) };
}

export function uuid(description?: string): JsonSchema {
  return { type: "string", format: "uuid", ...(description !== undefined && { description }) };
}

export function text(description?: string): JsonSchema {
  return { type: "string", ...(description !== undefined && { description }) };
}

export function time(description?: string): JsonSchema {
  return { type: "string", format: "date-time", ...(description !== undefined && { description }) };
}

export function truth(description?: string): JsonSchema {
  return { type: "boolean", ...(description !== undefined && { description }) };
}

export function count(description?: string): JsonSchema {
  return { type: "integer", minimum: 0, ...(description !== undefined && { description }) };
}

export function oneOf(values: readonly string[], description?: string): JsonSchema {
  return { type: "string", enum: values, ...(description !== undefined && { description }) };
}

export function listOf(items: JsonSchema, description?: string): JsonSchema {
  return { type: "array", items, ...(description !== undefined && { description }) };
}

/** Any JSON object. */
export function anyObject(description?: string): JsonSchema {
  return { type: "object", additionalProperties: {}, ...(description !== undefined && { description }) };
}

export function orNull(schema: JsonSchema): JsonSchema {
  if (schema.$ref !== undefined || schema.type === undefined) return { anyOf: [schema, { type: "null" }] };
  const { type } = schema;
  const values = schema.enum;
  return {
    ...schema,
    type: [...(typeof type === "string" ? [type] : type), "null"],
    ...(values !== undefined && { enum: [...values, null] }),
  };
}
