import {
  buildEventSchema,
  EVENT_DESCRIPTIONS,
  EVENT_TYPES,
  EVENT_TYPES_BY_GROUP,
  type EventType,
  type JsonSchema,
  SHARED_SCHEMAS,
} from "@swarmbase/sdk";
import { renderImports, renderList } from "./known-lists.ts";

const HEADER = `// Written by "npm run generate -- sdk-types" from event-schemas/; do not edit.\n`;
const LINE_WIDTH = 120;

/** Members whose type is more specific than their schema. */
const NARROWER: Readonly<Record<string, string>> = {
  "AgentRecord.settings": "AgentSettings",
  "SwarmRecord.settings": "SwarmSettings",
};

const FOLDER = "clients/sdk/src/event-types";

/** The files of clients/sdk/src/event-types, by path: shared types, one file for each group, and the table of all. */
export function renderEventTypes(): Map<string, string> {
  const files = new Map<string, string>();
  const add = (name: string, parts: readonly string[]): void => {
    const body = parts.join("\n");
    const imports = renderImports(body.replaceAll(/`[^`]*`/g, ""));
    files.set(`${FOLDER}/${name}.ts`, `${HEADER}${imports}${imports === "" ? "" : "\n"}${body}`);
  };
  add(
    "shared",
    Object.entries<JsonSchema>(SHARED_SCHEMAS).map(([name, schema]) => renderNamed(name, schema)),
  );
  const groups = Object.entries(EVENT_TYPES_BY_GROUP);
  for (const [group, types] of groups) add(group, types.map(renderData));
  const imports = groups.map(([group, types]) => renderImport(group, types.map(nameOf)));
  const rows = EVENT_TYPES.map((type) => `  "${type}": ${nameOf(type)};\n`);
  const table = `export interface EventDataByType {\n${rows.join("")}}\n`;
  files.set(`${FOLDER}/by-type.ts`, `${HEADER}${imports.toSorted().join("")}\n${table}`);
  return files;
}

function renderImport(group: string, names: readonly string[]): string {
  const line = `import type { ${names.toSorted().join(", ")} } from "./${group}.ts";\n`;
  if (line.length <= LINE_WIDTH) return line;
  return `import type {\n${names
    .toSorted()
    .map((name) => `  ${name},\n`)
    .join("")}} from "./${group}.ts";\n`;
}

function renderData(type: EventType): string {
  const { data } = buildEventSchema(type).properties ?? {};
  if (data === undefined) throw new Error(`${type} has no data`);
  return renderNamed(nameOf(type), data, `\`${type}\`: ${EVENT_DESCRIPTIONS[type].summary}`);
}

function nameOf(type: EventType): string {
  const words = type.split(/[._]/).map((word) => word.charAt(0).toUpperCase() + word.slice(1));
  return `${words.join("")}Data`;
}

function renderNamed(name: string, schema: JsonSchema, remark?: string): string {
  const comment = remark === undefined ? "" : `/** ${remark} */\n`;
  if (schema.anyOf === undefined) return `${comment}export interface ${name} ${renderMembers(schema, name)}\n`;
  const variants = schema.anyOf.map((variant) => `\n  | ${renderMembers(variant, name).replaceAll("\n", "\n    ")}`);
  return `${comment}export type ${name} =${variants.join("")};\n`;
}

function renderMembers({ properties = {}, required = [] }: JsonSchema, owner: string): string {
  const lines = Object.entries(properties).map(([name, schema]) => {
    const remark = schema.description === undefined ? "" : `  /** ${schema.description} */\n`;
    const mark = required.includes(name) ? "" : "?";
    return `${remark}  ${name}${mark}: ${NARROWER[`${owner}.${name}`] ?? renderType(schema)};\n`;
  });
  return `{\n${lines.join("")}}`;
}

function renderType(schema: JsonSchema): string {
  if (schema.$ref !== undefined) return schema.$ref.replace("#/$defs/", "");
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.anyOf !== undefined) return schema.anyOf.map(renderType).join(" | ");
  if (schema.type === undefined) return "unknown";
  const types = typeof schema.type === "string" ? [schema.type] : schema.type;
  return types.map((type) => renderPlainType(type, schema)).join(" | ");
}

function renderPlainType(type: string, schema: JsonSchema): string {
  switch (type) {
    case "string":
      return schema.enum === undefined ? "string" : renderList(schema.enum.filter((value) => value !== null));
    case "integer":
    case "number":
      return "number";
    case "boolean":
    case "null":
      return type;
    case "array":
      return renderArray(schema.items ?? {});
    case "object":
      return "Record<string, unknown>";
    default:
      throw new Error(`no type for ${type}`);
  }
}

function renderArray(items: JsonSchema): string {
  const inner = renderType(items);
  return inner.includes(" | ") ? `(${inner})[]` : `${inner}[]`;
}
