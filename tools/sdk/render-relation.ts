import { indent, renderDoc, renderRelationships, renderType, type TypeNames } from "@swarmbase/database-tools/types";
import { extension as schedules } from "@swarmbase/schedules";
import { extension as triggers } from "@swarmbase/triggers";
import { parseTableComment } from "../tables/parse-comment.ts";
import type { Column, Relation } from "../../server/src/rest/index.ts";
import { DEFAULT_MAXIMA } from "../../server/src/agents/index.ts";
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

const LINE_WIDTH = 120;
/** Of the members of a row in the generated file. */
const MEMBER_INDENT = 4;

/** The schema has neither enumerations nor columns with rows. */
const NO_NAMES: TypeNames = { rowOf: () => null, enumOf: () => null };
const RULES = allRules({
  findUrlFault: () => null,
  tools: null,
  runMaxima: DEFAULT_MAXIMA,
  added: [...(schedules.tables ?? []), ...(triggers.tables ?? [])],
});

/** The body of the type of a table or view, in the form that supabase-js expects. */
export function renderRelation(database: DatabaseDescription, relation: Relation): string {
  const members = [`  Row: ${renderRow(database, relation)};\n`];
  if (!relation.isView) {
    members.push(
      `  Insert: ${renderInsert(database, relation)};\n`,
      `  Update: ${renderUpdate(database, relation)};\n`,
    );
  }
  return `{\n${members.join("")}  Relationships: ${indent(renderRelationships(database.catalogue, relation), 2)};\n}`;
}

function renderRow(database: DatabaseDescription, relation: Relation): string {
  const columns = [...relation.columns.values()];
  return braces(
    columns.map((column) => documented(column, wrapUnion(column.name, renderColumn(database, relation, column)))),
  );
}

function documented({ comment }: Pick<Column, "comment">, member: string): string {
  return `${indent(renderDoc(comment), MEMBER_INDENT)}${member}`;
}

/** On several lines when the formatter of the repository would break the line. */
function wrapUnion(name: string, type: string): string {
  const line = `${name}: ${type}`;
  if (MEMBER_INDENT + line.length + 1 <= LINE_WIDTH || !type.includes(" | ") || type.includes("\n")) return line;
  return `${name}:\n${type
    .split(" | ")
    .map((variant) => `${" ".repeat(MEMBER_INDENT + 2)}| ${variant}`)
    .join("\n")}`;
}

function renderInsert(database: DatabaseDescription, relation: Relation): string {
  const inserted = insertedColumns(database, relation);
  if (inserted === null) return "never";
  const lines = inserted.columns.map((column) => {
    const isRequired = inserted.required.includes(column.name);
    const type = renderColumn(database, relation, column, isRequired);
    return documented(column, `${column.name}${isRequired ? "" : "?"}: ${type}`);
  });
  return braces([...lines, ...renderAliases(relation, inserted.aliases)]);
}

function renderUpdate(database: DatabaseDescription, relation: Relation): string {
  const updated = updatedColumns(database, relation);
  if (updated === null) return "never";
  const lines = updated.columns.map((column) =>
    documented(column, `${column.name}?: ${renderColumn(database, relation, column)}`),
  );
  return braces([...lines, ...renderAliases(relation, updated.aliases)]);
}

export interface WrittenColumns {
  readonly columns: readonly Column[];
  readonly required: readonly string[];
  /** Other names of columns. */
  readonly aliases: readonly string[];
}

/** The columns that a user may set in a new row; null when users cannot insert rows. */
export function insertedColumns(database: DatabaseDescription, relation: Relation): WrittenColumns | null {
  const rule = RULES.get(relation.name);
  if (rule === undefined || !database.mayWrite(relation.name, "insert")) return null;
  const owned = ownedOf(relation, SERVICE_OWNED, SERVICE_OWNED_ON_INSERT);
  return { columns: writtenColumns(relation, owned), required: rule.required, aliases: Object.keys(rule.aliases) };
}

/** The columns that a user may change in an existing row; null when users cannot update rows. */
export function updatedColumns(database: DatabaseDescription, relation: Relation): WrittenColumns | null {
  const rule = RULES.get(relation.name);
  if (rule === undefined || !database.mayWrite(relation.name, "update")) return null;
  const owned = ownedOf(relation, SERVICE_OWNED);
  for (const column of database.frozen.get(relation.name) ?? []) owned.add(column);
  // The address of an invitation cannot be changed; secrets can.
  const aliases = Object.keys(rule.aliases).filter((alias) => alias !== "email");
  return { columns: writtenColumns(relation, owned), required: [], aliases };
}

function ownedOf({ name }: Relation, ...tables: readonly Readonly<Record<string, readonly string[]>>[]): Set<string> {
  return new Set([...(RULES.get(name)?.ignored ?? []), ...tables.flatMap((table) => table[name] ?? [])]);
}

function writtenColumns(relation: Relation, owned: ReadonlySet<string>): Column[] {
  return [...relation.columns.values()].filter(({ name }) => !owned.has(name));
}

function renderAliases({ name: table, comment }: Relation, aliases: readonly string[]): string[] {
  const texts = parseTableComment(table, comment).aliases;
  return aliases.map((alias) => {
    const type = ALIAS_TYPES[`${table}.${alias}`];
    if (type === undefined) throw new Error(`no type is chosen for ${table}.${alias}`);
    return documented({ comment: texts[alias] ?? null }, `${alias}?: ${type}`);
  });
}

function renderColumn(database: DatabaseDescription, relation: Relation, column: Column, isRequired = false): string {
  const key = `${relation.name}.${column.name}`;
  const list = database.closedLists.get(key);
  const plain =
    COLUMN_TYPES[key] ?? (list === undefined ? renderType(column.type, NO_NAMES) : renderValues(list, column));
  return isNullable(relation, column) && !isRequired ? `${plain} | null` : plain;
}

export function isNullable(relation: Relation, { name, isNullable: mayBeNull }: Column): boolean {
  return mayBeNull && !(VIEW_COLUMNS_NOT_NULL[relation.name]?.includes(name) ?? false);
}

function renderValues(list: readonly string[], { type }: Column): string {
  const values = renderList(list);
  if (type.category !== "array") return values;
  return values.includes(" | ") ? `(${values})[]` : `${values}[]`;
}

function braces(lines: readonly string[]): string {
  return `{\n${lines.map((line) => `    ${line};\n`).join("")}  }`;
}
