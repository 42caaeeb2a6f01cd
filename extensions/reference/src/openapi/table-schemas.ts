import type { ColumnDescription, TableDescription } from "../tables/table-description.ts";
import type { Schema } from "./document.ts";

/** `AgentsRow`, `AgentsInsert`, `AgentsUpdate`: the last two where users can write. */
export function tableSchemas(tables: readonly TableDescription[]): Record<string, Schema> {
  const schemas: Record<string, Schema> = {};
  for (const table of tables) {
    const { operations, name } = table;
    schemas[schemaName(name, "Row")] = rowSchema(table);
    if (operations.includes("insert")) schemas[schemaName(name, "Insert")] = insertSchema(table);
    if (operations.includes("update")) schemas[schemaName(name, "Update")] = updateSchema(table);
  }
  return schemas;
}

/** `agent_tools` is `AgentTools`. */
export function pascalCase(name: string): string {
  return name
    .split("_")
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join("");
}

export function schemaName(table: string, kind: "Row" | "Insert" | "Update"): string {
  return `${pascalCase(table)}${kind}`;
}

function rowSchema(table: TableDescription): Schema {
  return {
    type: "object",
    description: table.summary,
    properties: Object.fromEntries(
      table.columns.map(({ name, schema, description }) => [name, { ...schema, description }]),
    ),
    required: table.columns.map(({ name }) => name),
  };
}

function insertSchema(table: TableDescription): Schema {
  const columns = table.columns.filter(({ onInsert }) => onInsert !== null);
  const required = columns.filter(({ onInsert }) => onInsert === "required");
  return {
    type: "object",
    description: `A new row of \`${table.name}\`, without the columns that the service sets.`,
    properties: {
      ...Object.fromEntries(
        columns.map((column) => {
          const schema = required.includes(column) ? withoutNull(column.schema) : column.schema;
          return [column.name, { ...schema, description: column.description, ...defaultOf(column) }];
        }),
      ),
      ...Object.fromEntries(table.aliases.map(({ name, schema, description }) => [name, { ...schema, description }])),
    },
    ...(required.length > 0 && { required: required.map(({ name }) => name) }),
  };
}

function updateSchema(table: TableDescription): Schema {
  return {
    type: "object",
    description: `Changes of rows of \`${table.name}\`; a column that is left out keeps its value.`,
    properties: {
      ...Object.fromEntries(
        table.columns
          .filter(({ onUpdate }) => onUpdate)
          .map(({ name, schema, description }) => [name, { ...schema, description }]),
      ),
      ...Object.fromEntries(
        table.aliases
          .filter(({ onUpdate }) => onUpdate)
          .map(({ name, schema, description }) => [name, { ...schema, description }]),
      ),
    },
  };
}

/** The value of a default that is a literal; functions have none. */
function defaultOf(column: Pick<ColumnDescription, "default">): { readonly default?: unknown } {
  const [, text, cast] = /^'(.*)'::([\w[\]]+)$/s.exec(column.default ?? "") ?? [];
  if (text !== undefined) {
    if (cast === "jsonb") return { default: JSON.parse(text) as unknown };
    if (cast?.endsWith("[]")) return { default: [] };
    return { default: text };
  }
  if (column.default === "true" || column.default === "false") return { default: column.default === "true" };
  if (/^\d+$/.test(column.default ?? "")) return { default: Number(column.default) };
  return {};
}

function withoutNull(schema: Schema): Schema {
  if (typeof schema.type !== "object") return schema;
  const [type = "string"] = schema.type;
  return { ...schema, type };
}
