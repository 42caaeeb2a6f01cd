import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import { LRUCache } from "lru-cache";
import { type JsonRecord } from "../../json/index.ts";
import { canonicalJson } from "./canonical-json.ts";
import { countValues } from "./json-size.ts";
import { createLinearPatterns, type LinearPatterns } from "./linear-pattern.ts";
import { findSchemaSizeFault } from "./find-schema-size-fault.ts";
import { createStepMeter, meterKeywords, type StepMeter, TooManySteps } from "./meter-keywords.ts";

type CompiledSchema =
  | {
      readonly ok: true;
      /** Why a value is not valid, or null. `subject` names the value itself. */
      findFault(value: unknown, subject?: string): string | null;
    }
  | { readonly ok: false; readonly fault: string };

export interface SchemaCompiler {
  compile(schema: JsonRecord): CompiledSchema;
}

const MAX_SCHEMA_CHARS = 40_000;
const MAX_FAULT_CHARS = 300;
/** The other formats use patterns that are slow for some texts. */
const FORMATS = ["date", "time", "date-time", "duration", "uri", "email", "hostname", "ipv4", "ipv6", "uuid"] as const;

/**
 * Caches schemas. Compiling takes longer than a hundred validations, and as long as a hundred checks of the schema itself, so it
 * waits for the first value: a request can store dozens of schemas, and would block the event loop for seconds.
 */
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
  } catch (error) {
    return { ok: false, fault: describeFailure(error) };
  }
  let validator: Validator | string | null = null;
  return {
    ok: true,
    findFault(value, subject = "the input") {
      validator ??= createValidator(usable);
      if (typeof validator === "string") return `${subject} cannot be checked, because the schema ${validator}`;
      return findFault(validator, value, subject);
    },
  };
}

/** A text: why the schema cannot be compiled. */
function createValidator(schema: JsonRecord): Validator | string {
  try {
    const meter = createStepMeter();
    const patterns = createLinearPatterns(meter);
    return { validate: createCompiler(meter, patterns).compile(schema), meter, patterns };
  } catch (error) {
    return describeFailure(error);
  }
}

function describeFailure(error: unknown): string {
  return `is not a JSON Schema: ${shorten(error instanceof Error ? error.message : "")}`;
}

/** Each schema has its own compiler, because Ajv never releases the schemas that it has compiled. */
function createCompiler(meter: StepMeter, { regExp }: LinearPatterns): Ajv2020 {
  const ajv = new Ajv2020({
    strict: false,
    logger: false,
    meta: false,
    validateSchema: false,
    inlineRefs: false,
    // Otherwise `constructor` and the other members of the prototype are properties of every value.
    ownProperties: true,
    // The optimiser blocks the event loop for many times what it saves in a validation.
    code: { regExp, optimize: false },
  });
  ajv.removeKeyword("uniqueItems");
  ajv.addKeyword({
    keyword: "uniqueItems",
    type: "array",
    schemaType: "boolean",
    validate: (isRequired: boolean, items: readonly unknown[]) => !isRequired || areUnique(items, meter),
    error: { message: "must NOT have duplicate items" },
  });
  addFormats.default(ajv, { mode: "fast", formats: [...FORMATS] });
  meterKeywords(ajv, meter);
  return ajv;
}

/** Ajv compares all pairs of items, which takes minutes for a few thousand of them. */
function areUnique(items: readonly unknown[], meter: StepMeter): boolean {
  meter.spend(countValues(items));
  return new Set(items.map((item) => canonicalJson(JSON.stringify(item)))).size === items.length;
}

function explain({ errors }: Ajv2020): string {
  const [first] = errors ?? [];
  return shorten(`${first?.instancePath ?? ""} ${first?.message ?? "is not valid"}`.trim());
}

interface Validator {
  readonly validate: ValidateFunction;
  readonly meter: StepMeter;
  readonly patterns: LinearPatterns;
}

function findFault({ validate, meter, patterns }: Validator, value: unknown, subject: string): string | null {
  meter.reset();
  try {
    if (validate(value)) return null;
  } catch (error) {
    // A very long generated expression can overflow the stack.
    if (error instanceof RangeError || error instanceof TooManySteps)
      return `${subject} takes too long to check with this schema`;
    throw error;
  } finally {
    patterns.release();
  }
  const [first] = validate.errors ?? [];
  if (first === undefined) return "is not valid";
  const { allowedValues, additionalProperty } = first.params as Readonly<Record<string, unknown>>;
  const more = allowedValues ?? additionalProperty;
  const place = first.instancePath === "" ? subject : first.instancePath.slice(1).replaceAll("/", ".");
  return shorten(`${place} ${first.message ?? "is not valid"}${more === undefined ? "" : `: ${JSON.stringify(more)}`}`);
}

function shorten(text: string): string {
  return text.length <= MAX_FAULT_CHARS ? text : `${text.slice(0, MAX_FAULT_CHARS).toWellFormed()}…`;
}
