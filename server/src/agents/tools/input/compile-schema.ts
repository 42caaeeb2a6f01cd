import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import { LRUCache } from "lru-cache";
import { type JsonRecord } from "../../../json/index.ts";
import { canonicalJson } from "../../guards/canonical-json.ts";
import { compileLinear } from "./linear-pattern.ts";
import { findSchemaSizeFault } from "./measure-schema.ts";

type CompiledSchema =
  | { readonly ok: true /** Why a value is not valid, or null. */; findFault(value: JsonRecord): string | null }
  | { readonly ok: false; readonly fault: string };

export interface SchemaCompiler {
  compile(schema: JsonRecord): CompiledSchema;
}

const MAX_SCHEMA_CHARS = 40_000;
const MAX_FAULT_CHARS = 300;
/** The other formats use patterns that are slow for some texts. */
const FORMATS = ["date", "time", "date-time", "duration", "uri", "email", "hostname", "ipv4", "ipv6", "uuid"] as const;

/** Caches compiled schemas: compiling takes longer than a hundred validations. */
export function createSchemaCompiler({ maxKept }: { readonly maxKept: number }): SchemaCompiler {
  const metaValidator = new Ajv2020({ strict: false, logger: false });
  const cache = new LRUCache<string, CompiledSchema>({ max: maxKept });
  return {
    compile(schema) {
      const text = JSON.stringify(schema);
      const known = cache.get(text);
      if (known !== undefined) return known;
      const compiled = compileSchema(metaValidator, schema, text);
      cache.set(text, compiled);
      return compiled;
    },
  };
}

function compileSchema(metaValidator: Ajv2020, schema: JsonRecord, text: string): CompiledSchema {
  if (text.length > MAX_SCHEMA_CHARS) return { ok: false, fault: "is too large" };
  // The draft is ignored: keywords that differ between drafts are rejected below or mean the same.
  const { $schema: _draft, $id: _id, ...usable } = schema;
  const fault = findSchemaSizeFault(usable);
  if (fault !== null) return { ok: false, fault };
  try {
    if (metaValidator.validateSchema(usable) !== true)
      return { ok: false, fault: `is not a JSON Schema: ${explain(metaValidator)}` };
    const validate = createCompiler().compile(usable);
    return { ok: true, findFault: (value) => findFault(validate, value) };
  } catch (error) {
    return { ok: false, fault: `is not a JSON Schema: ${shorten(error instanceof Error ? error.message : "")}` };
  }
}

/** Each schema has its own compiler, because Ajv never releases the schemas that it has compiled. */
function createCompiler(): Ajv2020 {
  const ajv = new Ajv2020({
    strict: false,
    logger: false,
    meta: false,
    validateSchema: false,
    inlineRefs: false,
    // The optimiser blocks the event loop for many times what it saves in a validation.
    code: { regExp: compileLinear, optimize: false },
  });
  ajv.removeKeyword("uniqueItems");
  ajv.addKeyword({
    keyword: "uniqueItems",
    type: "array",
    schemaType: "boolean",
    validate: (isRequired: boolean, items: readonly unknown[]) => !isRequired || areUnique(items),
    error: { message: "must NOT have duplicate items" },
  });
  addFormats.default(ajv, { mode: "fast", formats: [...FORMATS] });
  return ajv;
}

/** Ajv compares all pairs of items, which takes minutes for a few thousand of them. */
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
    // A very long generated expression can overflow the stack.
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
