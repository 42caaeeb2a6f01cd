// In charge of: functions of the app in PostgreSQL as tools of the kind `rpc`, called as the person who asks.
// Not in charge of: what that person may do, which REST and the rules of the rows decide.
import {
  AppError,
  defineExtension,
  type ExtensionContext,
  type FunctionEntry,
  type JsonRecord,
  type ToolAnswer,
  type ToolCall,
  ToolFailure,
  type ToolConfigFault,
  type DataType,
  type ToolDescription,
} from "swarmbase/extension";

/** A line of a comment that describes an argument: `@param since only later ones`. */
const PARAMETER_LINE = /^\s*@param\s+(\S+)\s+(.*\S)\s*$/;

/** As `tools.description` allows. */
const MAX_DESCRIPTION_CHARS = 1024;

const INTEGERS: ReadonlySet<string> = new Set(["smallint", "integer", "bigint"]);

/** Those whose text must have what the format requires. */
const FORMATS: ReadonlyMap<string, string> = new Map([
  ["date", "date"],
  ["timestamp with time zone", "date-time"],
]);

const DEFAULT_SCHEMA = "public";

/** PostgreSQL truncates longer names. */
const MAX_NAME_BYTES = 63;

/** Types whose values a call by JSON cannot give. */
const PSEUDO_TYPE = /^(?:"any"|any(?:element|array|nonarray|enum|range|multirange|compatible\w*)|cstring|internal)$/;

const READ_ONLY_TRANSACTION = "25006";

export const extension = defineExtension({
  name: "rpc-tools",
  summary: "functions of the database as tools",
  docs: new URL("../README.md", import.meta.url),
  toolKinds: [
    {
      name: "rpc",
      findConfigFaults,
      run: callFunction,
      describe(config, context) {
        const called = findConfigFaults(config, context).length === 0 ? findFunction(config, context) : null;
        return called === null ? null : describeFunction(called);
      },
    },
  ],
});

/** Calls the function as the person who asks. REST applies that person's rights, limits and scopes. */
async function callFunction(
  { config, input, starter, signal }: ToolCall,
  context: Pick<ExtensionContext, "catalogue" | "isOfService" | "restAs">,
): Promise<ToolAnswer> {
  const called = findFunction(config, context);
  const fault = called === null ? "does not exist any more" : findArgumentFault(called, input);
  const { schema, name } = nameOf(config);
  if (fault !== null) throw new ToolFailure("TOOL_UNUSABLE", `The function ${schema}.${name} ${fault}.`);
  const isReadOnly = config["writes"] !== true;
  const { principal } = await starter.open();
  signal.throwIfAborted();
  const request = {
    method: "POST",
    path: `/rpc/${encodeURIComponent(name)}`,
    headers: { "content-profile": schema },
    body: input,
    isReadOnly,
    isText: true,
  } as const;
  const { status, body } = await context.restAs(principal, request, signal).catch((error: unknown) => {
    const isWrite = isReadOnly && error instanceof AppError && error.extra.foreign?.code === READ_ONLY_TRANSACTION;
    if (!isWrite) throw error;
    throw new ToolFailure("TOOL_FAILED", `The function writes, and the tool may only read: ${error.message}.`);
  });
  const text = String(body);
  // The function has set the status itself.
  if (status >= 400) throw new ToolFailure("TOOL_FAILED", `The function answered with the status ${status}.`, { text });
  // Rows beyond DB_MAX_ROWS are missing.
  return { text: text === "" ? "null" : text, isCut: status === 206, attempts: 1 };
}

/** The function may have changed since the tool was stored, or the schema of the input is not the function's. */
function findArgumentFault({ parameters }: FunctionEntry, input: JsonRecord): string | null {
  const known = new Set(parameters.map(({ name }) => name));
  const unknown = Object.keys(input).find((name) => !known.has(name));
  if (unknown !== undefined) return `has no argument ${unknown}: the input_schema of the tool does not fit`;
  const missing = parameters.find(({ name, isRequired }) => isRequired && !Object.hasOwn(input, name));
  return missing === undefined ? null : `needs ${missing.name}: the input_schema of the tool does not fit`;
}

type Catalogues = Pick<ExtensionContext, "catalogue" | "isOfService">;

/** What is wrong with `tools.config`, by the functions that exist now. */
function findConfigFaults(config: JsonRecord, context: Catalogues): readonly ToolConfigFault[] {
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
function findFunction(config: JsonRecord, context: Catalogues): FunctionEntry | null {
  const [only, ...others] = overloadsOf(config, context);
  return only !== undefined && others.length === 0 ? only : null;
}

function nameOf({ function: name, schema = DEFAULT_SCHEMA }: JsonRecord): { schema: string; name: string } {
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

/** The arguments as a JSON Schema, with what the comment of the function says. */
function describeFunction({ parameters, comment }: FunctionEntry): ToolDescription {
  const texts = readComment(comment ?? "");
  const properties = parameters.map(({ name, type }) => {
    const description = texts.parameters.get(name);
    const schema = schemaOf(type.category, type);
    return [name, description === undefined ? schema : { ...schema, description }] as const;
  });
  return {
    inputSchema: {
      type: "object",
      properties: Object.fromEntries(properties),
      required: parameters.filter(({ isRequired }) => isRequired).map(({ name }) => name),
      additionalProperties: false,
    },
    description: texts.description,
  };
}

function readComment(comment: string): {
  readonly description: string | null;
  readonly parameters: ReadonlyMap<string, string>;
} {
  const parameters = new Map<string, string>();
  const others: string[] = [];
  for (const line of comment.split("\n")) {
    const [, name, text] = PARAMETER_LINE.exec(line) ?? [];
    if (name !== undefined && text !== undefined) parameters.set(name, text.slice(0, MAX_DESCRIPTION_CHARS));
    else others.push(line);
  }
  const description = others.join("\n").trim().slice(0, MAX_DESCRIPTION_CHARS);
  return { description: description === "" ? null : description.toWellFormed(), parameters };
}

function schemaOf(category: DataType["category"], type: Omit<DataType, "name">): JsonRecord {
  const { label, elementCategory, enumValues, representation } = type;
  // The app converts the values of such a domain from JSON itself.
  if (representation !== undefined && representation.fromJson !== null) return {};
  switch (category) {
    case "json":
    case "jsonb":
      return {};
    case "boolean":
      return { type: "boolean" };
    case "number":
      return { type: INTEGERS.has(label) ? "integer" : "number" };
    case "uuid":
      return { type: "string", format: "uuid" };
    case "enum":
      return enumValues.length === 0 ? { type: "string" } : { type: "string", enum: enumValues };
    case "text":
      return { type: "string" };
    case "array": {
      const element = { ...type, label: label.replace(/(?:\[\])+$/, ""), enumValues: [] };
      return { type: "array", items: elementCategory === null ? {} : schemaOf(elementCategory, element) };
    }
    default: {
      const format = FORMATS.get(label);
      return format === undefined ? { type: "string", description: label } : { type: "string", format };
    }
  }
}
