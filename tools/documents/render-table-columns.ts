import type { ColumnDescription, TableDescription } from "@swarmbase/reference";

type Schema = ColumnDescription["schema"];

const SHORT_TYPES: Readonly<Record<string, string>> = { "timestamp with time zone": "timestamptz" };

/** Defaults that are functions. */
const DEFAULTS: Readonly<Record<string, string>> = {
  "private.new_id()": "a new id",
  "auth.uid()": "the caller",
  "now()": "the current time",
};

/** The columns with their types, defaults and bounds, keys, constraints and embeddings. */
export function renderTableColumns(table: TableDescription): string {
  const rows = table.columns.map((column) => {
    const cells = [
      `\`${column.name}\``,
      `${SHORT_TYPES[column.type] ?? column.type}${isNullable(column.schema) ? " or null" : ""}`,
      renderDefault(column.default),
      renderBounds(column),
      renderWrites(column),
      `${column.description}${column.references === null ? "" : ` ${renderReference(column.references)}`}`,
    ];
    return `| ${cells.join(" | ")} |\n`;
  });
  const aliases = table.aliases.map(
    ({ name, description, onUpdate }) =>
      `| \`${name}\` | in a written row | | | insert${onUpdate ? ", update" : ""} | ${description} |\n`,
  );
  const writes =
    table.operations.length > 1 ? " Write lists what users can set: **bold** is required in a new row." : "";
  return `| column | type | default | bounds | write | |
|---|---|---|---|---|---|
${[...rows, ...aliases].join("")}
${[renderKeys(table), writes.trim(), renderEmbeddings(table.embeddings)].filter((part) => part !== "").join("\n")}
${renderConstraints(table)}`;
}

function renderKeys({ primaryKey, uniqueKeys }: TableDescription): string {
  const keys = [
    ...(primaryKey.length > 0 ? [`Primary key: ${list(primaryKey)}.`] : []),
    // Keys that contain the primary key exist for foreign keys only.
    ...uniqueKeys
      .filter((key) => !primaryKey.every((column) => key.includes(column)))
      .map((key) => `Unique: ${list(key)}.`),
  ];
  return keys.join(" ");
}

function renderEmbeddings(names: readonly string[]): string {
  return names.length === 0 ? "" : `\`select\` can embed ${list(names)}.`;
}

function renderConstraints({ constraints }: TableDescription): string {
  if (constraints.length === 0) return "";
  const rows = constraints.map(({ name, definition }) => `| \`${name}\` | \`${escape(definition)}\` |\n`);
  return `\n| constraint | |\n|---|---|\n${rows.join("")}`;
}

function renderDefault(expression: string | null): string {
  if (expression === null) return "";
  return DEFAULTS[expression] ?? `\`${escape(expression.replace(/^'(.*)'::[\w[\]]+$/s, "$1"))}\``;
}

function renderWrites({ onInsert, onUpdate }: ColumnDescription): string {
  const insert = onInsert === "required" ? "**insert**" : onInsert === "optional" ? "insert" : "";
  return [insert, onUpdate ? "update" : ""].filter((part) => part !== "").join(", ");
}

function renderBounds({ schema, maxBytes }: ColumnDescription): string {
  const plain = schema.anyOf?.[0] ?? schema;
  const parts = [
    renderList(plain),
    range(plain.minLength, plain.maxLength, " characters"),
    range(plain.minimum, plain.maximum, ""),
    plain.exclusiveMinimum === undefined ? "" : `more than ${plain.exclusiveMinimum}`,
    range(plain.minItems, plain.maxItems, " entries"),
    plain.pattern === undefined ? "" : `matches \`${escape(plain.pattern)}\``,
    plain.type === "object" ? "an object" : "",
    maxBytes === null ? "" : `up to ${maxBytes / 1024} KiB of JSON`,
    plain.$ref === undefined ? "" : `\`${plain.$ref.split("/").at(-1) ?? ""}\``,
  ];
  return parts.filter((part) => part !== "").join(", ");
}

function renderList(schema: Schema): string {
  const values = schema.enum ?? schema.items?.enum ?? [];
  const named = values.filter((value) => value !== null);
  // The list of event types is long, and has a page.
  if (named.length > 15) return "[event types](../events.md)";
  return list(named.map(String));
}

function range(least: number | undefined, most: number | undefined, unit: string): string {
  if (most === undefined) return least === undefined ? "" : `at least ${least}${unit}`;
  const end = most.toLocaleString("en-GB");
  return least === undefined ? `up to ${end}${unit}` : `${least} to ${end}${unit}`;
}

function isNullable(schema: Schema): boolean {
  return [schema.type].flat().includes("null") || (schema.anyOf?.some(({ type }) => type === "null") ?? false);
}

function renderReference(target: string): string {
  const [table = ""] = target.split(".");
  return `References [\`${target}\`](${table}.md).`;
}

function list(names: readonly string[]): string {
  return names.map((name) => `\`${name}\``).join(", ");
}

function escape(text: string): string {
  return text.replaceAll("|", String.raw`\|`);
}
