import type { Catalogue, Column, Relation } from "swarmbase/extension";

type DataType = Column["type"];
export type QualifiedName = NonNullable<DataType["rowOf"]>;

/** How the file that is written names what it declares. */
export interface TypeNames {
  /** The row of a table, view or composite type; null when the file does not declare it. */
  rowOf(name: QualifiedName): string | null;
  /** An enumeration by the name of its type, such as `public.mood`; null when the file does not declare it. */
  enumOf(typeName: string): string | null;
}

/** The TypeScript for the values of a type, as they arrive in JSON. */
export function renderType(type: DataType, names: TypeNames): string {
  switch (type.category) {
    case "boolean":
    case "number":
      return type.category;
    case "json":
    case "jsonb":
      return "Json";
    case "enum":
      return names.enumOf(type.name) ?? type.enumValues.map((value) => JSON.stringify(value)).join(" | ");
    case "array":
      return `${renderElement(type, names)}[]`;
    case "composite":
      return (type.rowOf === null ? null : names.rowOf(type.rowOf)) ?? "Json";
    case "void":
      return "undefined";
    case "other":
      return "unknown";
    case "bit":
    case "bytea":
    case "datetime":
    case "interval":
    case "range":
    case "text":
    case "tsvector":
    case "uuid":
    case "xml":
      return "string";
  }
}

/** The catalogue knows the category of the elements; the name of an enumeration is that of its array without the brackets. */
function renderElement({ name, elementCategory }: DataType, names: TypeNames): string {
  if (elementCategory === "boolean" || elementCategory === "number") return elementCategory;
  if (elementCategory === "enum") return names.enumOf(name.replace(/\[\]$/, "")) ?? "string";
  if (elementCategory === "json" || elementCategory === "jsonb" || elementCategory === "composite") return "Json";
  return elementCategory === "other" ? "unknown" : "string";
}

/** The members of an object type, one on each line. */
export function renderMembers(members: readonly string[]): string {
  return members.length === 0
    ? "{ [name in never]: never }"
    : `{\n${members.map((line) => `  ${indent(line, 2)};\n`).join("")}}`;
}

export function renderProperty(name: string): string {
  return /^[A-Za-z_$][\w$]*$/.test(name) ? name : JSON.stringify(name);
}

export function indent(text: string, spaces: number): string {
  return text.replaceAll("\n", `\n${" ".repeat(spaces)}`);
}

/** The foreign keys of a relation, in the form that supabase-js expects. */
export function renderRelationships({ relationships }: Catalogue, { schema, name }: Relation): string {
  const own = relationships
    .filter(({ from, target }) => from.name === name && from.schema === schema && target.schema === schema)
    .toSorted((one, other) => compare(one.constraint, other.constraint) || compare(one.target.name, other.target.name));
  if (own.length === 0) return "[]";
  const entries = own.map((relationship) =>
    renderMembers([
      `foreignKeyName: ${JSON.stringify(relationship.constraint)}`,
      `columns: ${renderTuple(relationship.columns.map(([column]) => column))}`,
      `isOneToOne: ${relationship.isOneToOne}`,
      `referencedRelation: ${JSON.stringify(relationship.target.name)}`,
      `referencedColumns: ${renderTuple(relationship.columns.map(([, column]) => column))}`,
    ]),
  );
  return `[\n${entries.map((entry) => `  ${indent(entry, 2)},\n`).join("")}]`;
}

function renderTuple(names: readonly string[]): string {
  return `[${names.map((name) => JSON.stringify(name)).join(", ")}]`;
}

function compare(one: string, other: string): number {
  return one < other ? -1 : Number(one > other);
}
