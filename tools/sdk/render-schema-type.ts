import type { Schema } from "@swarmbase/reference";
import { renderList } from "./known-lists.ts";

/** Where a type is used. Callers may pass read-only lists and undefined; responses consist of JSON. */
export type Direction = "sent" | "received";

const LINE_WIDTH = 120;

/** An exported interface, or a type when the schema is not one object. */
export function renderDeclaration(name: string, schema: Schema, direction: Direction): string {
  const comment = renderComment(schema.description, "");
  if (schema.properties !== undefined)
    return `${comment}export interface ${name} ${renderObject(schema, direction, "")}\n`;
  return `${comment}${wrapUnion(`export type ${name} =`, variantsOf(schema, direction, ""), "")}\n`;
}

/** `name: type;`, on several lines when it is long. */
export function renderMember(name: string, schema: Schema, direction: Direction, indent: string): string {
  return `${indent}${wrapUnion(`${name}:`, variantsOf(schema, direction, indent), indent)}\n`;
}

export function nameOfReference(reference: string): string {
  return reference.slice(reference.lastIndexOf("/") + 1);
}

function wrapUnion(head: string, variants: readonly string[], indent: string): string {
  const line = `${head} ${variants.join(" | ")};`;
  // As the formatter writes them: a nullable object begins on the line of its name.
  const isNullable = variants.length === 2 && variants[0]?.startsWith("{\n") === true && variants[1] === "null";
  const isShort =
    variants.length === 1 || isNullable || (!line.includes("\n") && indent.length + line.length <= LINE_WIDTH);
  return isShort
    ? line
    : `${head}\n${variants.map((variant) => `${indent}  | ${variant.replaceAll("\n", "\n    ")}`).join("\n")};`;
}

function variantsOf(schema: Schema, direction: Direction, indent: string): readonly string[] {
  if (schema.$ref !== undefined) return [nameOfReference(schema.$ref)];
  const forms = schema.anyOf ?? schema.oneOf;
  if (forms !== undefined) return [...new Set(forms.flatMap((form) => variantsOf(form, direction, indent)))];
  if (schema.const !== undefined) return [JSON.stringify(schema.const)];
  if (schema.type === undefined) return [direction === "sent" ? "unknown" : "Json"];
  const types = typeof schema.type === "string" ? [schema.type] : schema.type;
  return types.flatMap((type) => plainVariants(type, schema, direction, indent));
}

function plainVariants(type: string, schema: Schema, direction: Direction, indent: string): readonly string[] {
  switch (type) {
    case "string":
      return schema.enum === undefined
        ? ["string"]
        : renderList(schema.enum.filter((value) => typeof value === "string")).split(" | ");
    case "integer":
    case "number":
      return ["number"];
    case "boolean":
    case "null":
      return [type];
    case "array":
      return [renderArray(schema.items ?? {}, direction, indent)];
    case "object":
      return [schema.properties === undefined ? renderMap(schema, direction) : renderObject(schema, direction, indent)];
    default:
      throw new Error(`no type for ${type}`);
  }
}

function renderArray(items: Schema, direction: Direction, indent: string): string {
  const variants = variantsOf(items, direction, indent);
  const item = variants.length === 1 ? (variants[0] ?? "") : `(${variants.join(" | ")})`;
  return `${direction === "sent" ? "readonly " : ""}${item}[]`;
}

function renderMap({ additionalProperties }: Schema, direction: Direction): string {
  if (typeof additionalProperties === "object" && additionalProperties.type === "string")
    return "Record<string, string>";
  return direction === "sent" ? "Record<string, unknown>" : "JsonObject";
}

function renderObject({ properties = {}, required = [] }: Schema, direction: Direction, indent: string): string {
  const inner = `${indent}  `;
  const members = Object.entries(properties).map(([name, schema]) => {
    const isRequired = required.includes(name);
    const isAny = schema.type === undefined && schema.$ref === undefined && schema.anyOf === undefined;
    const type: Schema = isRequired || isAny || direction === "received" ? schema : { anyOf: [schema, UNDEFINED] };
    const member = renderMember(`${name}${isRequired ? "" : "?"}`, type, direction, inner);
    return `${renderComment(schema.description, inner)}${member}`;
  });
  return `{\n${members.join("")}${indent}}`;
}

/** Rendered by its name, like any other reference. */
const UNDEFINED: Schema = { $ref: "undefined" };

function renderComment(description: string | undefined, indent: string): string {
  return description === undefined ? "" : `${indent}/** ${description} */\n`;
}
