import { AppError, type Catalogue, type Column, type Relation } from "swarmbase/extension";
import { CORE_COLUMNS, CORE_SCHEMA, findMask } from "./core-columns.ts";

/** A column as operators see it. */
export interface TableColumn {
  readonly name: string;
  /** As declared. */
  readonly type: string;
  readonly category: Column["type"]["category"];
  readonly is_nullable: boolean;
  readonly is_editable: boolean;
  /** Whether a new row may have a value for it. */
  readonly is_insertable: boolean;
  readonly choices: readonly string[];
  /** The row that the value names: one of a table that is served here, or an account. */
  readonly references: { readonly schema: string; readonly table: string; readonly column: string } | null;
}

export interface Table {
  readonly schema: string;
  readonly name: string;
  readonly kind: Relation["kind"];
  readonly columns: readonly TableColumn[];
  /** Columns with texts of conversations, whether they are shown or not. */
  readonly content: readonly string[];
  /** Columns that are not shown, because they have or can have credentials, or texts of conversations. */
  readonly withheld: readonly string[];
  /** Empty: rows have no identity, so they can be neither paged through nor edited. */
  readonly key: readonly string[];
  readonly is_editable: boolean;
  readonly is_insertable: boolean;
}

/** Never served, also when `DB_SCHEMAS` exposes one: accounts, the work of the service, and this extension. */
const CLOSED_SCHEMAS = /^(?:auth|private|realtime|ext_operator|information_schema|pg_.*)$/;
/** In tables of an app, whose columns nobody has listed. */
const CREDENTIAL_NAME =
  /(?:^|_)(?:secrets?|passwords?|passwd|passphrase|tokens?|api_?keys?|(?:private|access|signing|encryption)_?keys?|credentials?|hash|salt|otp|pin)(?:_|$)/i;
/** What the comparison with the old value cannot do, or text cannot express. */
const NOT_EDITABLE: ReadonlySet<TableColumn["category"]> = new Set([
  "bytea",
  "json",
  "xml",
  "composite",
  "void",
  "tsvector",
]);
const NOT_INSERTABLE: ReadonlySet<TableColumn["category"]> = new Set(["bytea", "void"]);
const ACCOUNTS = { schema: "auth", name: "users" };

/** `readsContent`: texts of conversations are shown. */
export function listTables(catalogue: Catalogue, readsContent: boolean): readonly Table[] {
  return [...catalogue.schemas.values()]
    .filter(({ name }) => !CLOSED_SCHEMAS.test(name))
    .flatMap(({ relations }) => [...relations.values()].map((relation) => describe(catalogue, relation, readsContent)))
    .filter(({ columns }) => columns.length > 0);
}

export function getTable(
  catalogue: Catalogue,
  { schema, table: name }: Readonly<Record<string, string | undefined>>,
  readsContent: boolean,
): Table {
  const relation =
    schema === undefined || name === undefined || CLOSED_SCHEMAS.test(schema)
      ? undefined
      : catalogue.schemas.get(schema)?.relations.get(name);
  const table = relation === undefined ? null : describe(catalogue, relation, readsContent);
  if (table === null || table.columns.length === 0) throw new AppError("NOT_FOUND", "The table does not exist");
  return table;
}

function describe(catalogue: Catalogue, relation: Relation, readsContent: boolean): Table {
  const { schema, name, kind, isView } = relation;
  const all = [...relation.columns.values()];
  const shown = all.filter((column) => isShown(relation, column, readsContent));
  const key = relation.primaryKey.every((column) => shown.some((one) => one.name === column))
    ? relation.primaryKey
    : [];
  const isEditable = !isView && relation.isUpdatable && key.length > 0;
  return {
    schema,
    name,
    kind,
    columns: shown.map((column) => describeColumn(catalogue, relation, column, isEditable)),
    content: listColumns(relation)?.flatMap((column) => (column.startsWith("~") ? column.slice(1) : [])) ?? [],
    withheld: all.filter((column) => !shown.includes(column)).map((column) => column.name),
    key,
    is_editable: isEditable,
    is_insertable: !isView && relation.isInsertable,
  };
}

function describeColumn(catalogue: Catalogue, relation: Relation, column: Column, isEditable: boolean): TableColumn {
  const { name, type } = column;
  return {
    name,
    type: column.declaredType,
    category: type.category,
    is_nullable: column.isNullable,
    is_editable:
      isEditable &&
      column.isWritable &&
      findMask(relation, name) === null &&
      !relation.primaryKey.includes(name) &&
      !NOT_EDITABLE.has(type.category),
    is_insertable: column.isWritable && !NOT_INSERTABLE.has(type.category),
    choices: type.enumValues,
    references: findReference(catalogue, relation, name),
  };
}

/** Only keys of one column: a link has one value. */
function findReference(catalogue: Catalogue, relation: Relation, name: string): TableColumn["references"] {
  const own = relation.foreignKeys.filter(({ columns }) => columns.length === 1 && columns[0]?.[0] === name);
  for (const { target, columns } of own) {
    const column = columns[0]?.[1] ?? "";
    if (target.schema === ACCOUNTS.schema && target.name === ACCOUNTS.name)
      return { schema: target.schema, table: target.name, column };
    const isServed =
      !CLOSED_SCHEMAS.test(target.schema) && catalogue.schemas.get(target.schema)?.relations.has(target.name);
    if (isServed === true) return { schema: target.schema, table: target.name, column };
  }
  return null;
}

/** Allow rules: a column of the service is listed; a column of an app has neither a telling name nor bytes. */
function isShown(relation: Relation, column: Column, readsContent: boolean): boolean {
  const listed = listColumns(relation);
  if (listed !== undefined) return listed.includes(column.name) || (readsContent && listed.includes(`~${column.name}`));
  return column.type.category !== "bytea" && !CREDENTIAL_NAME.test(separateWords(column.name));
}

function listColumns({ schema, name }: Relation): readonly string[] | undefined {
  return schema === CORE_SCHEMA && Object.hasOwn(CORE_COLUMNS, name) ? CORE_COLUMNS[name]?.split(" ") : undefined;
}

/** `accessToken2` as `access_Token_`. */
function separateWords(name: string): string {
  return name
    .replace(/([\p{Ll}\d])(\p{Lu})/gu, "$1_$2")
    .replace(/(\p{Lu})(\p{Lu}\p{Ll})/gu, "$1_$2")
    .replace(/\P{L}+/gu, "_");
}
