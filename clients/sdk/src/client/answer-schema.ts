import type { Json } from "../json.ts";

/** The part of [Standard Schema](https://standardschema.dev) that describes and validates an answer: zod 4.2 and others have it. */
export interface StandardAnswerSchema<Output = unknown> {
  readonly "~standard": {
    readonly version: 1;
    readonly vendor: string;
    readonly types?: { readonly input: unknown; readonly output: Output } | undefined;
    validate(value: unknown): StandardResult<Output> | Promise<StandardResult<Output>>;
    readonly jsonSchema: { input(options: { readonly target: "draft-2020-12" }): Record<string, unknown> };
  };
}

type StandardResult<Output> =
  | { readonly value: Output; readonly issues?: undefined }
  | { readonly issues: readonly { readonly message: string }[] };

/** A JSON Schema as it is. Its values are not typed. */
export interface JsonSchemaObject {
  readonly "~standard"?: never;
  readonly [keyword: string]: unknown;
}

export type AnswerSchema = StandardAnswerSchema | JsonSchemaObject;

/** The type of the values that a schema accepts. */
export type AnswerOf<S extends AnswerSchema> = S extends StandardAnswerSchema<infer Output> ? Output : Json;

/** A value that is still being written: any member may be missing, and texts may be incomplete. */
export type DeepPartial<T> = T extends readonly (infer Item)[]
  ? DeepPartial<Item>[]
  : T extends object
    ? { [K in keyof T]?: DeepPartial<T[K]> }
    : T;

/** The JSON Schema that the service gets. */
export function toJsonSchema(schema: AnswerSchema): Record<string, unknown> {
  const standard = schema["~standard"];
  if (standard === undefined) return { ...schema };
  if (typeof standard.jsonSchema?.input !== "function")
    throw new TypeError(
      `A schema of ${standard.vendor} cannot be converted to JSON Schema: pass a JSON Schema instead`,
    );
  const { $schema: _draft, ...described } = standard.jsonSchema.input({ target: "draft-2020-12" });
  return closeObjects(described) as Record<string, unknown>;
}

const VALUE_KEYWORDS: ReadonlySet<string> = new Set(["enum", "const", "default", "examples", "required"]);
const NAMING_KEYWORDS: ReadonlySet<string> = new Set(["properties", "$defs", "definitions", "patternProperties"]);

/** Providers enforce a schema only if its objects have no further members, which such libraries drop anyway. */
function closeObjects(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(closeObjects);
  if (typeof schema !== "object" || schema === null) return schema;
  const entries = Object.entries(schema).map(([keyword, value]): [string, unknown] => {
    if (VALUE_KEYWORDS.has(keyword)) return [keyword, value];
    if (!NAMING_KEYWORDS.has(keyword)) return [keyword, closeObjects(value)];
    const named = Object.entries(value as Record<string, unknown>);
    return [keyword, Object.fromEntries(named.map(([name, inner]) => [name, closeObjects(inner)]))];
  });
  const closed = Object.fromEntries(entries);
  return "properties" in closed && !("additionalProperties" in closed)
    ? { ...closed, additionalProperties: false }
    : closed;
}

/** Returns the value as the schema outputs it. Rejects with an `AnswerSchemaError` if the schema rejects it. */
export async function parseAnswer<S extends AnswerSchema>(schema: S, value: Json): Promise<AnswerOf<S>> {
  const standard = schema["~standard"];
  // The service has checked the value with the JSON Schema.
  if (standard === undefined) return value as AnswerOf<S>;
  const result = await standard.validate(value);
  if (result.issues !== undefined) throw new AnswerSchemaError(result.issues.map(({ message }) => message).join("; "));
  return result.value as AnswerOf<S>;
}

/** No agent answered with a value that satisfies the schema. */
export class AnswerSchemaError extends Error {
  override readonly name = "AnswerSchemaError";
}
