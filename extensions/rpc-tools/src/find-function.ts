import type { ExtensionContext, FunctionEntry, JsonRecord, ToolConfigFault } from "swarmbase/extension";

type Catalogues = Pick<ExtensionContext, "catalogue" | "isOfService">;

const DEFAULT_SCHEMA = "public";
/** PostgreSQL truncates longer names. */
const MAX_NAME_BYTES = 63;
/** Types whose values a call by JSON cannot give. */
const PSEUDO_TYPE = /^(?:"any"|any(?:element|array|nonarray|enum|range|multirange|compatible\w*)|cstring|internal)$/;

/** What is wrong with `tools.config`, by the functions that exist now. */
export function findConfigFaults(config: JsonRecord, context: Catalogues): readonly ToolConfigFault[] {
  const { function: name, schema = DEFAULT_SCHEMA, writes = false, ...others } = config;
  const faults = [
    ...(isName(name) ? [] : [{ path: "function", message: "must be the name of a function" }]),
    ...(isName(schema) ? [] : [{ path: "schema", message: "must be the name of a schema" }]),
    ...(typeof writes === "boolean" ? [] : [{ path: "writes", message: "must be true or false" }]),
    ...Object.keys(others).map((path) => ({ path, message: "is not known" })),
  ];
  if (faults.length > 0 || !isName(name) || !isName(schema)) return faults;
  const message = findFunctionFault(config, context);
  return message === null ? [] : [{ path: "function", message }];
}

/** Null when users may execute none, or several of this name. */
export function findFunction(config: JsonRecord, context: Catalogues): FunctionEntry | null {
  const [only, ...others] = overloadsOf(config, context);
  return only !== undefined && others.length === 0 ? only : null;
}

export function nameOf({ function: name, schema = DEFAULT_SCHEMA }: JsonRecord): { schema: string; name: string } {
  return { schema: String(schema), name: String(name) };
}

function overloadsOf(config: JsonRecord, context: Catalogues): readonly FunctionEntry[] {
  const { schema, name } = nameOf(config);
  const overloads = context.catalogue().schemas.get(schema)?.functions.get(name) ?? [];
  return overloads.filter(({ isForUsers }) => isForUsers);
}

function findFunctionFault(config: JsonRecord, context: Catalogues): string | null {
  const qualified = nameOf(config);
  const { schema, name } = qualified;
  const title = `names ${schema}.${name}, which`;
  if (context.isOfService(qualified)) return `${title} is not a function of the app`;
  const overloads = overloadsOf(config, context);
  const [called] = overloads;
  // The same for a function that exists: whoever may not execute it must not learn of it.
  if (called === undefined)
    return `${title} is not a function in an exposed schema that users may execute with named arguments`;
  if (overloads.length > 1) return `${title} has ${overloads.length} definitions, and a tool needs exactly one`;
  const argument = called.parameters.map(findParameterFault).find((fault) => fault !== null) ?? null;
  return argument === null ? null : `${title} ${argument}`;
}

function findParameterFault({ name, type, isVariadic }: FunctionEntry["parameters"][number]): string | null {
  if (name === "") return "has an argument without a name";
  if (isVariadic) return `takes any number of values for ${name}`;
  if (type.category === "composite" || type.elementCategory === "composite") return `takes a record for ${name}`;
  return PSEUDO_TYPE.test(type.name) ? `takes a value of any type for ${name}` : null;
}

function isName(value: unknown): value is string {
  return typeof value === "string" && value !== "" && Buffer.byteLength(value) <= MAX_NAME_BYTES;
}
