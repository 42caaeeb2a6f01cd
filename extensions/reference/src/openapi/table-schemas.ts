import { type DescribedTable, textOfColumn } from "../tables/table-texts.ts";
import type { ColumnDescription } from "../tables/table-description.ts";
import type { Schema } from "./document.ts";

/** `AgentsRow`, `AgentsInsert`, `AgentsUpdate`: the last two where users can write. */
export function tableSchemas(tables: readonly DescribedTable[]): Record<string, Schema> {
  const schemas: Record<string, Schema> = {};
  for (const described of tables) {
    const { operations, name } = described.table;
    schemas[schemaName(name, "Row")] = rowSchema(described);
    if (operations.includes("insert")) schemas[schemaName(name, "Insert")] = insertSchema(described);
    if (operations.includes("update")) schemas[schemaName(name, "Update")] = updateSchema(described);
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

function rowSchema({ table, text }: DescribedTable): Schema {
  return {
    type: "object",
    description: text.summary,
    properties: Object.fromEntries(
      table.columns.map((column) => [column.name, withText(column.schema, textOfColumn(text, column.name))]),
    ),
    required: table.columns.map(({ name }) => name),
  };
}

function insertSchema({ table, text }: DescribedTable): Schema {
  const columns = table.columns.filter(({ onInsert }) => onInsert !== null);
  const required = columns.filter(({ onInsert }) => onInsert === "required");
  return {
    type: "object",
    description: `A new row of \`${table.name}\`, without the columns that the service sets.`,
    properties: {
      ...Object.fromEntries(
        columns.map((column) => {
          const schema = required.includes(column) ? withoutNull(column.schema) : column.schema;
          return [column.name, { ...withText(schema, textOfColumn(text, column.name)), ...defaultOf(column) }];
        }),
      ),
      ...Object.fromEntries(
        table.aliases.map(({ name, schema }) => [name, withText(schema, text.aliases?.[name] ?? "")]),
      ),
    },
    ...(required.length > 0 && { required: required.map(({ name }) => name) }),
  };
}

function updateSchema({ table, text }: DescribedTable): Schema {
  return {
    type: "object",
    description: `Changes of rows of \`${table.name}\`; a column that is left out keeps its value.`,
    properties: {
      ...Object.fromEntries(
        table.columns
          .filter(({ onUpdate }) => onUpdate)
          .map((column) => [column.name, withText(column.schema, textOfColumn(text, column.name))]),
      ),
      ...Object.fromEntries(
        table.aliases
          .filter(({ onUpdate }) => onUpdate)
          .map(({ name, schema }) => [name, withText(schema, text.aliases?.[name] ?? "")]),
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

function withText(schema: Schema, description: string): Schema {
  return description === "" ? schema : { ...schema, description };
}

function withoutNull(schema: Schema): Schema {
  if (typeof schema.type !== "object") return schema;
  const [type = "string"] = schema.type;
  return { ...schema, type };
}
