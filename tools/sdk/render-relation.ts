import type { Column, Relation } from "../../server/src/rest/index.ts";
import { allRules } from "../../server/src/tables/index.ts";
import {
  ALIAS_TYPES,
  COLUMN_TYPES,
  SERVICE_OWNED,
  SERVICE_OWNED_ON_INSERT,
  VIEW_COLUMNS_NOT_NULL,
} from "./column-choices.ts";
import { renderList } from "./known-lists.ts";
import type { DatabaseDescription } from "./read-database.ts";

const RULES = allRules({ findUrlFault: () => null, tools: null });

/** The body of the type of a table or view, in the form that supabase-js expects. */
export function renderRelation(database: DatabaseDescription, relation: Relation): string {
  const members = [`  Row: ${renderRow(database, relation)};\n`];
  if (!relation.isView) {
    members.push(
      `  Insert: ${renderInsert(database, relation)};\n`,
      `  Update: ${renderUpdate(database, relation)};\n`,
    );
  }
  return `{\n${members.join("")}  Relationships: ${renderRelationships(database, relation)};\n}`;
}

function renderRow(database: DatabaseDescription, relation: Relation): string {
  const columns = [...relation.columns.values()];
  return braces(columns.map((column) => `${column.name}: ${renderColumn(database, relation, column)}`));
}

function renderInsert(database: DatabaseDescription, relation: Relation): string {
  const rule = RULES.get(relation.name);
  if (rule === undefined || !database.mayWrite(relation.name, "insert")) return "never";
  const owned = ownedOf(relation, SERVICE_OWNED, SERVICE_OWNED_ON_INSERT);
  const lines = writtenColumns(relation, owned).map((column) => {
    const isRequired = rule.required.includes(column.name);
    return `${column.name}${isRequired ? "" : "?"}: ${renderColumn(database, relation, column, isRequired)}`;
  });
  return braces([...lines, ...renderAliases(relation)]);
}

function renderUpdate(database: DatabaseDescription, relation: Relation): string {
  if (!RULES.has(relation.name) || !database.mayWrite(relation.name, "update")) return "never";
  const owned = ownedOf(relation, SERVICE_OWNED);
  for (const column of database.frozen.get(relation.name) ?? []) owned.add(column);
  const lines = writtenColumns(relation, owned).map(
    (column) => `${column.name}?: ${renderColumn(database, relation, column)}`,
  );
  // The address of an invitation cannot be changed; secrets can.
  const aliases = renderAliases(relation).filter((line) => !line.startsWith("email"));
  return braces([...lines, ...aliases]);
}

function ownedOf({ name }: Relation, ...tables: readonly Readonly<Record<string, readonly string[]>>[]): Set<string> {
  return new Set([...(RULES.get(name)?.ignored ?? []), ...tables.flatMap((table) => table[name] ?? [])]);
}

function writtenColumns(relation: Relation, owned: ReadonlySet<string>): Column[] {
  return [...relation.columns.values()].filter(({ name }) => !owned.has(name));
}

function renderAliases({ name: table }: Relation): string[] {
  return Object.keys(RULES.get(table)?.aliases ?? {}).map((alias) => {
    const type = ALIAS_TYPES[`${table}.${alias}`];
    if (type === undefined) throw new Error(`no type is chosen for ${table}.${alias}`);
    return `${alias}?: ${type}`;
  });
}

function renderColumn(database: DatabaseDescription, relation: Relation, column: Column, isRequired = false): string {
  const key = `${relation.name}.${column.name}`;
  const list = database.closedLists.get(key);
  const plain = COLUMN_TYPES[key] ?? (list === undefined ? renderType(column) : renderValues(list, column));
  return isNullable(relation, column) && !isRequired ? `${plain} | null` : plain;
}

function isNullable(relation: Relation, { name, isNullable: mayBeNull }: Column): boolean {
  return mayBeNull && !(VIEW_COLUMNS_NOT_NULL[relation.name]?.includes(name) ?? false);
}

function renderValues(list: readonly string[], { type }: Column): string {
  const values = renderList(list);
  if (type.category !== "array") return values;
  return values.includes(" | ") ? `(${values})[]` : `${values}[]`;
}

export function renderType({ type, name }: Pick<Column, "type" | "name">): string {
  switch (type.category) {
    case "boolean":
    case "number":
      return type.category;
    case "text":
    case "uuid":
    case "datetime":
      return "string";
    case "json":
    case "jsonb":
      return "Json";
    case "array":
      if (type.elementCategory === "text" || type.elementCategory === "uuid") return "string[]";
      break;
    default:
      break;
  }
  throw new Error(`no type for the column ${name} of type ${type.name}`);
}

function renderRelationships({ catalogue }: DatabaseDescription, { name }: Relation): string {
  const links = catalogue.links
    .filter(({ from }) => from.name === name)
    .map((link) => {
      const [own, other] = [link.columns.map(([column]) => column), link.columns.map(([, column]) => column)];
      return { ...link, own, other };
    })
    .toSorted((one, other) => compare(one.constraint, other.constraint) || compare(one.target.name, other.target.name));
  if (links.length === 0) return "[]";
  const entries = links.map(
    (link) => `    {
      foreignKeyName: ${JSON.stringify(link.constraint)};
      columns: ${renderTuple(link.own)};
      isOneToOne: ${link.isOneToOne};
      referencedRelation: ${JSON.stringify(link.target.name)};
      referencedColumns: ${renderTuple(link.other)};
    },\n`,
  );
  return `[\n${entries.join("")}  ]`;
}

function renderTuple(names: readonly string[]): string {
  return `[${names.map((name) => JSON.stringify(name)).join(", ")}]`;
}

function compare(one: string, other: string): number {
  return one < other ? -1 : Number(one > other);
}

function braces(lines: readonly string[]): string {
  return `{\n${lines.map((line) => `    ${line};\n`).join("")}  }`;
}
