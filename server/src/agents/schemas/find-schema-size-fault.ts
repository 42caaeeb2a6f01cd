import { isRecord, type JsonRecord } from "../../json/index.ts";
import { countValues } from "./json-size.ts";
import { measurePattern } from "./linear-pattern.ts";

const MAX_COST = 5_000;
const MAX_DEPTH = 32;
/** The matcher runs an instruction for each character, and a keyword once for each value. */
const INSTRUCTION_COST = 5;
/** Serialises all items of a list. */
const UNIQUE_COST = 50;
/** Keywords whose values are not schemas: the first are compared with the input, the others are annotations. */
const COMPARED_KEYWORDS: ReadonlySet<string> = new Set(["const", "enum"]);
const ANNOTATION_KEYWORDS: ReadonlySet<string> = new Set(["default", "examples"]);
/** Keywords that map arbitrary names to schemas. */
const NAMING_KEYWORDS: ReadonlySet<string> = new Set([
  "properties",
  "patternProperties",
  "$defs",
  "definitions",
  "dependentSchemas",
  "dependencies",
]);
const FORBIDDEN_KEYWORDS: readonly string[] = [
  "$id",
  "$anchor",
  "$dynamicRef",
  "$dynamicAnchor",
  "$recursiveRef",
  "$data",
];

class SchemaFault extends Error {}

interface Walk {
  readonly root: JsonRecord;
  /** By reference; null while the reference is being measured. */
  readonly costs: Map<string, number | null>;
}

/**
 * Why a schema is rejected, or null. Validation takes at most the size of the value times the size of the schema with all
 * references expanded, so the expanded size is limited and recursion is rejected.
 */
export function findSchemaSizeFault(schema: JsonRecord): string | null {
  if (schema["$async"] !== undefined) return "must not use $async";
  try {
    measure(schema, { root: schema, costs: new Map() }, 0);
    return null;
  } catch (error) {
    if (error instanceof SchemaFault) return error.message;
    throw error;
  }
}

function measure(schema: unknown, walk: Walk, depth: number): number {
  if (depth > MAX_DEPTH) throw new SchemaFault(`is nested deeper than ${MAX_DEPTH} levels`);
  // Names in a list, such as `required`, are checked once for each value.
  if (Array.isArray(schema)) return checked(sum(schema.map((item) => 1 + measure(item, walk, depth + 1))));
  if (!isRecord(schema)) return 0;
  // Ajv cannot compile it, which is found out only when a value is checked.
  if (Object.hasOwn(schema, "nullable") && !Object.hasOwn(schema, "type"))
    throw new SchemaFault("uses nullable without type");
  let cost = 1;
  for (const [keyword, value] of Object.entries(schema)) {
    if (ANNOTATION_KEYWORDS.has(keyword)) continue;
    if (typeof value === "string") cost += measureText(keyword, value, walk, depth);
    else if (keyword === "uniqueItems" && typeof value === "boolean") cost += UNIQUE_COST;
    else if (COMPARED_KEYWORDS.has(keyword)) cost += countValues(value);
    else if (NAMING_KEYWORDS.has(keyword) && isRecord(value)) {
      if (keyword === "patternProperties") cost += sum(Object.keys(value).map(costOfPattern));
      cost += sum(Object.values(value).map((inner) => 1 + measure(inner, walk, depth + 1)));
    } else cost += measure(value, walk, depth + 1);
    checked(cost);
  }
  return cost;
}

function measureText(keyword: string, value: string, walk: Walk, depth: number): number {
  if (keyword === "$ref") return measureReference(value, walk, depth);
  if (keyword === "pattern") return costOfPattern(value);
  if (FORBIDDEN_KEYWORDS.includes(keyword)) throw new SchemaFault(`must not use ${keyword}`);
  return 0;
}

function measureReference(reference: string, walk: Walk, depth: number): number {
  const known = walk.costs.get(reference);
  if (known === null) throw new SchemaFault("must not refer to itself");
  if (known !== undefined) return known;
  walk.costs.set(reference, null);
  const cost = measure(resolve(reference, walk.root), walk, depth + 1);
  walk.costs.set(reference, cost);
  return cost;
}

function resolve(reference: string, root: JsonRecord): unknown {
  if (reference === "#") return root;
  if (!reference.startsWith("#/")) throw new SchemaFault("must refer to parts of itself only, as #/…");
  // Ajv reads `#/` as the root, and ignores a trailing `#`: it would evaluate another part than the one measured here.
  if (reference === "#/" || reference.includes("#", 1)) throw new SchemaFault("has a reference that is not valid");
  let found: unknown = root;
  for (const step of reference.slice(2).split("/")) {
    const key = decode(step);
    found =
      (isRecord(found) || Array.isArray(found)) && Object.hasOwn(found, key) ? Reflect.get(found, key) : undefined;
  }
  if (found === undefined) throw new SchemaFault("refers to a part that it does not have");
  return found;
}

function decode(step: string): string {
  try {
    return decodeURIComponent(step).replaceAll("~1", "/").replaceAll("~0", "~");
  } catch {
    throw new SchemaFault("has a reference that is not valid");
  }
}

function costOfPattern(pattern: string): number {
  const measured = measurePattern(pattern);
  if (!measured.ok) throw new SchemaFault(measured.fault);
  return checked(measured.instructions * INSTRUCTION_COST);
}

function checked(cost: number): number {
  if (cost > MAX_COST) throw new SchemaFault("is too large with all its references and patterns");
  return cost;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, next) => total + next, 0);
}
