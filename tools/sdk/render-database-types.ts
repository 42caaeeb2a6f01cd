import type { Column, FunctionEntry, Relation } from "../../server/src/rest/index.ts";
import {
  ALIAS_TYPES,
  COLUMN_TYPES,
  RETURNED_COLUMNS_NULLABLE,
  SERVICE_OWNED,
  SERVICE_OWNED_ON_INSERT,
  VIEW_COLUMNS_NOT_NULL,
} from "./column-choices.ts";
import { renderImports } from "./known-lists.ts";
import type { DatabaseDescription } from "./read-database.ts";
import { renderRelation, renderType } from "./render-relation.ts";

const HEADER = `// Written by "npm run sdk:types" from the migrated schema; do not edit.\n`;
const FOLDER = "sdk/src/database";
const SCHEMA = "public";
/** Whose language our tables speak, as far as supabase-js asks. */
const POSTGREST_VERSION = "14";

/** The files of sdk/src/database, by path: one for each table and view, and the type that combines them. */
export function renderDatabaseTypes(database: DatabaseDescription): Map<string, string> {
  const { relations, functions } = database.catalogue.schemas.get(SCHEMA) ?? {};
  if (relations === undefined || functions === undefined) throw new Error("the schema does not exist");
  checkChoices(relations);
  const sorted = [...relations.values()].toSorted((one, other) => (one.name < other.name ? -1 : 1));
  const files = new Map<string, string>();
  for (const relation of sorted) {
    const body = `export type ${typeNameOf(relation)} = ${renderRelation(database, relation)};\n`;
    const imports = renderImports(body);
    files.set(`${FOLDER}/${fileNameOf(relation)}`, `${HEADER}${imports}${imports === "" ? "" : "\n"}${body}`);
  }
  files.set(`${FOLDER}/database.ts`, renderJoined(sorted, [...functions.values()]));
  return files;
}

function renderJoined(relations: readonly Relation[], functions: readonly (readonly FunctionEntry[])[]): string {
  const imports = relations.map(
    (relation) => `import type { ${typeNameOf(relation)} } from "./${fileNameOf(relation)}";\n`,
  );
  const list = (isView: boolean): string =>
    relations
      .filter((relation) => relation.isView === isView)
      .map((relation) => `      ${relation.name}: ${typeNameOf(relation)};\n`)
      .join("");
  const byName = new Map(relations.map((relation) => [relation.name, relation]));
  const calls = functions.map((overloads) => renderFunction(overloads, byName)).toSorted();
  return `${HEADER}${imports.toSorted().join("")}
/** For \`createClient<Database>()\` of supabase-js. */
export type Database = {
  __InternalSupabase: { PostgrestVersion: "${POSTGREST_VERSION}" };
  ${SCHEMA}: {
    Tables: {
${list(false)}    };
    Views: {
${list(true)}    };
    Functions: {
${calls.join("")}    };
    Enums: { [name in never]: never };
    CompositeTypes: { [name in never]: never };
  };
};
`;
}

function renderFunction(overloads: readonly FunctionEntry[], relations: ReadonlyMap<string, Relation>): string {
  const [first] = overloads;
  const columns = first?.returns.columns ?? null;
  if (first !== undefined && first.returns.rowOf === null && columns !== null) return renderCall(first, columns);
  return renderComputed(overloads, relations);
}

/** A function that is called by name and returns its own row type. */
function renderCall({ name, parameters }: FunctionEntry, columns: ReadonlyMap<string, Column>): string {
  const members = parameters.map((one) => `${one.name}${one.isRequired ? "" : "?"}: ${renderType(one)}`);
  const nullable = RETURNED_COLUMNS_NULLABLE[name] ?? [];
  const returned = [...columns.values()].map(
    (column) => `          ${column.name}: ${renderType(column)}${nullable.includes(column.name) ? " | null" : ""};\n`,
  );
  return `      ${name}: {
        Args: { ${members.join("; ")} };
        Returns: {
${returned.join("")}        }[];
      };\n`;
}

/** Functions of a row that return one row: supabase-js embeds them by their name. */
function renderComputed(overloads: readonly FunctionEntry[], relations: ReadonlyMap<string, Relation>): string {
  const forms = overloads
    .map(({ name, parameters, returns }) => {
      const [parameter] = parameters;
      const from = relations.get(parameter?.type.rowOf?.name ?? "");
      const target = relations.get(returns.rowOf?.name ?? "");
      if (parameter === undefined || parameters.length !== 1 || from === undefined || target === undefined)
        throw new Error(`the function ${name} is of an unsupported kind`);
      const argument = { name: parameter.name, from };
      return { argument, target, isSet: returns.isSet };
    })
    .toSorted((one, other) => (one.argument.from.name < other.argument.from.name ? -1 : 1))
    .map(
      ({ argument, target, isSet }) => `{
  Args: { ${argument.name}: ${typeNameOf(argument.from)}["Row"] };
  Returns: ${typeNameOf(target)}["Row"];
  SetofOptions: { from: "${argument.from.name}"; to: "${target.name}"; isOneToOne: true; isSetofReturn: ${isSet} };
}`,
    );
  const [only] = forms;
  const name = overloads[0]?.name ?? "";
  if (forms.length === 1 && only !== undefined) return `      ${name}: ${indent(only, 6)};\n`;
  return `      ${name}:${forms.map((form) => `\n        | ${indent(form, 10)}`).join("")};\n`;
}

function indent(text: string, spaces: number): string {
  return text.replaceAll("\n", `\n${" ".repeat(spaces)}`);
}

function typeNameOf({ name, isView }: Relation): string {
  const words = name.split("_").map((word) => word.charAt(0).toUpperCase() + word.slice(1));
  return `${words.join("")}${isView ? "View" : "Table"}`;
}

function fileNameOf({ name }: Relation): string {
  return `${name.replaceAll("_", "-")}.ts`;
}

/** Fails for a choice whose column does not exist, which would otherwise go unnoticed. */
function checkChoices(relations: ReadonlyMap<string, Relation>): void {
  const named = [
    ...Object.keys(COLUMN_TYPES),
    ...[SERVICE_OWNED, SERVICE_OWNED_ON_INSERT, VIEW_COLUMNS_NOT_NULL].flatMap((table) =>
      Object.entries(table).flatMap(([relation, columns]) => columns.map((column) => `${relation}.${column}`)),
    ),
  ];
  for (const key of named) {
    const [relation = "", column = ""] = key.split(".");
    if (!relations.get(relation)?.columns.has(column)) throw new Error(`${key} has a column choice and does not exist`);
  }
  for (const key of Object.keys(ALIAS_TYPES)) {
    if (!relations.has(key.split(".")[0] ?? "")) throw new Error(`${key} has a column choice and does not exist`);
  }
}
