import type { Column, DataType } from "swarmbase/extension";
import type { SwaggerSchema, SwaggerTypeName } from "./swagger.ts";

const TYPES: Readonly<Record<string, SwaggerTypeName>> = {
  boolean: "boolean",
  smallint: "integer",
  integer: "integer",
  bigint: "integer",
  numeric: "number",
  real: "number",
  "double precision": "number",
};

const FORMATS: Readonly<Record<string, string>> = { smallint: "int32", integer: "int32", bigint: "int64" };

/** The JSON type of a value; `json` itself has none. */
export function describeType({ label, category, enumValues }: DataType): SwaggerSchema {
  const format = formatOf(label);
  switch (category) {
    case "json":
    case "jsonb":
      return { format };
    case "array":
      return { type: "array", format, items: describeElement(label.replace(/\[\]$/, "")) };
    case "composite":
      return { type: "object", format };
    case "enum":
      return { type: "string", format, enum: enumValues };
    default:
      return { type: TYPES[label] ?? "string", format };
  }
}

export function describeElement(label: string): SwaggerSchema {
  return label === "json" || label === "jsonb" ? {} : { type: TYPES[label] ?? "string" };
}

export function formatOf(label: string): string {
  return FORMATS[label] ?? label;
}

/** The default as a value, else as its expression; null when neither can be represented as JSON. */
export function describeDefault({ default: text, type }: Column): { readonly value: unknown } | null {
  if (text === null) return null;
  const literal = /^'((?:[^']|'')*)'(?:::.+)?$/s.exec(text)?.[1]?.replaceAll("''", "'");
  if (describeType(type).type === "string") return { value: literal ?? text };
  try {
    return { value: JSON.parse(literal ?? text) as unknown };
  } catch {
    return null;
  }
}
