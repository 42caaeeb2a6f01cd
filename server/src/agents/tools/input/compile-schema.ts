import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import { LRUCache } from "lru-cache";
import { type JsonRecord } from "../../../json/index.ts";
import { canonicalJson } from "../../guards/canonical-json.ts";
import { compileLinear } from "./linear-pattern.ts";
import { findSchemaSizeFault } from "./measure-schema.ts";

type CompiledSchema =
  | { readonly ok: true /** What is wrong with a value, or null. */; findFault(value: JsonRecord): string | null }
  | { readonly ok: false; readonly fault: string };

export interface SchemaCompiler {
  compile(schema: JsonRecord): CompiledSchema;
}

const MAX_SCHEMA_CHARS = 40_000;
const MAX_FAULT_CHARS = 300;
/** The others are exact for texts that nobody means, at the price of patterns that are slow for some. */
const FORMATS = ["date", "time", "date-time", "duration", "uri", "email", "hostname", "ipv4", "ipv6", "uuid"] as const;

/** Remembers the schemas that were used last: compiling one takes longer than a hundred checks. */
export function createSchemaCompiler({ maxKept }: { readonly maxKept: number }): SchemaCompiler {
  const judge = new Ajv2020({ strict: false, logger: false });
  const kept = new LRUCache<string, CompiledSchema>({ max: maxKept });
  return {
    compile(schema) {
      const text = JSON.stringify(schema);
      const known = kept.get(text);
      if (known !== undefined) return known;
      const compiled = compileSchema(judge, schema, text);
      kept.set(text, compiled);
      return compiled;
    },
  };
}

function compileSchema(judge: Ajv2020, schema: JsonRecord, text: string): CompiledSchema {
  if (text.length > MAX_SCHEMA_CHARS) return { ok: false, fault: "is too large" };
  // Which draft it was written for; what differs between them is refused below, or means the same.
  const { $schema: _draft, $id: _id, ...usable } = schema;
  const fault = findSchemaSizeFault(usable);
  if (fault !== null) return { ok: false, fault };
  try {
    if (judge.validateSchema(usable) !== true) return { ok: false, fault: `is not a JSON Schema: ${explain(judge)}` };
    const validate = compilerOfOne().compile(usable);
    return { ok: true, findFault: (value) => findFault(validate, value) };
  } catch (error) {
    return { ok: false, fault: `is not a JSON Schema: ${shorten(error instanceof Error ? error.message : "")}` };
  }
}

/** A compiler keeps something of every schema that it ever compiled, so each schema has its own. */
function compilerOfOne(): Ajv2020 {
  const ajv = new Ajv2020({
    strict: false,
    logger: false,
    meta: false,
    validateSchema: false,
    inlineRefs: false,
    // What the optimiser saves in a check it costs many times over here, while nobody else is served.
    code: { regExp: compileLinear, optimize: false },
  });
  ajv.removeKeyword("uniqueItems");
  ajv.addKeyword({
    keyword: "uniqueItems",
    type: "array",
    schemaType: "boolean",
    validate: (isWanted: boolean, items: readonly unknown[]) => !isWanted || areUnique(items),
    error: { message: "must NOT have duplicate items" },
  });
  addFormats.default(ajv, { mode: "fast", formats: [...FORMATS] });
  return ajv;
}

/** The library compares each item with each other one, which a few thousand of them turn into minutes. */
function areUnique(items: readonly unknown[]): boolean {
  return new Set(items.map((item) => canonicalJson(JSON.stringify(item)))).size === items.length;
}

function explain({ errors }: Ajv2020): string {
  const [first] = errors ?? [];
  return shorten(`${first?.instancePath ?? ""} ${first?.message ?? "is not valid"}`.trim());
}

function findFault(validate: ValidateFunction, value: JsonRecord): string | null {
  try {
    if (validate(value)) return null;
  } catch (error) {
    // One very long expression can be too much for the stack.
    if (error instanceof RangeError) return "cannot be checked by this schema";
    throw error;
  }
  const [first] = validate.errors ?? [];
  if (first === undefined) return "is not valid";
  const { allowedValues, additionalProperty } = first.params as Readonly<Record<string, unknown>>;
  const more = allowedValues ?? additionalProperty;
  const place = first.instancePath === "" ? "the input" : first.instancePath.slice(1).replaceAll("/", ".");
  return shorten(`${place} ${first.message ?? "is not valid"}${more === undefined ? "" : `: ${JSON.stringify(more)}`}`);
}

function shorten(text: string): string {
  return text.length <= MAX_FAULT_CHARS ? text : `${text.slice(0, MAX_FAULT_CHARS).toWellFormed()}…`;
}
