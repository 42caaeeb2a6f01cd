import { commentOf, indent, renderDoc, renderFunction, withoutDocs } from "@swarmbase/database-tools/types";
import type { FunctionEntry, Relation } from "../../server/src/rest/index.ts";
import {
  ALIAS_TYPES,
  COLUMN_TYPES,
  RETURNED_COLUMNS_NULLABLE,
  SERVICE_OWNED,
  SERVICE_OWNED_ON_INSERT,
  VIEW_COLUMNS_NOT_NULL,
} from "./column-choices.ts";
import { renderImports } from "./known-lists.ts";
import { parseTableComment } from "../tables/parse-comment.ts";
import type { DatabaseDescription } from "./read-database.ts";
import { renderRelation } from "./render-relation.ts";

const HEADER = `// Written by "npm run generate -- sdk-types" from the migrated schema; do not edit.\n`;
const FOLDER = "clients/sdk/src/database";
const SCHEMA = "public";
/** Whose language our tables speak, as far as supabase-js asks. */
const POSTGREST_VERSION = "14";

/** The files of clients/sdk/src/database, by path: one for each table and view, and the type that combines them. */
export function renderDatabaseTypes(database: DatabaseDescription): Map<string, string> {
  const { relations, functions } = database.catalogue.schemas.get(SCHEMA) ?? {};
  if (relations === undefined || functions === undefined) throw new Error("the schema does not exist");
  checkChoices(relations);
  const sorted = [...relations.values()].toSorted((one, other) => (one.name < other.name ? -1 : 1));
  const files = new Map<string, string>();
  for (const relation of sorted) {
    const { summary } = parseTableComment(relation.name, relation.comment);
    const body = `${renderDoc(summary)}export type ${typeNameOf(relation)} = ${renderRelation(database, relation)};\n`;
    const imports = renderImports(withoutDocs(body));
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
  const names = {
    rowOf: ({ name }: { readonly name: string }) => {
      const relation = byName.get(name);
      return relation === undefined ? null : `${typeNameOf(relation)}["Row"]`;
    },
    enumOf: () => null,
    isReturnedNullable: (name: string, column: string) => RETURNED_COLUMNS_NULLABLE[name]?.includes(column) ?? false,
  };
  const calls = functions
    .toSorted(([one], [other]) => ((one?.name ?? "") < (other?.name ?? "") ? -1 : 1))
    .map((overloads) => {
      const call = `${renderDoc(commentOf(overloads))}${overloads[0]?.name ?? ""}:${renderFunction(overloads, names)}`;
      return `      ${indent(call, 6)};\n`;
    });
  return `${HEADER}${renderImports(withoutDocs(calls.join("")))}${imports.toSorted().join("")}
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
