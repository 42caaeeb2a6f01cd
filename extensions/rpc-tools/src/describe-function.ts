import type { DataType, FunctionEntry, JsonRecord, ToolDescription } from "swarmbase/extension";

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

/** The arguments as a JSON Schema, with what the comment of the function says. */
export function describeFunction({ parameters, comment }: FunctionEntry): ToolDescription {
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
