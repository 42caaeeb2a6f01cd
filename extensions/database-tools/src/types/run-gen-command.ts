import { writeFile } from "node:fs/promises";
import { resolve } from "node:path";
import {
  type Catalogue,
  type Column,
  type ExtensionCommandContext,
  parseOptions,
  type Relation,
  UsageError,
} from "swarmbase/extension";
import { renderDoc, withoutDocs } from "./render-doc.ts";
import { commentOf, type FunctionNames, renderFunction } from "./render-function.ts";
import {
  type QualifiedName,
  renderMembers,
  renderProperty,
  renderRelationships,
  renderType,
  type TypeNames,
} from "./render-type.ts";
import { SERVICE_NAMES } from "./service/service-names.ts";
import { type Enumeration, selectEnums } from "./sql/select-enums.ts";
import { selectMissingSchemas } from "./sql/select-missing-schemas.ts";

/** The schema of the tables of the service. */
const SERVICE_SCHEMA = "public";

const OPTIONS = { out: { type: "string" }, schema: { type: "string", multiple: true } } as const;

export async function runGenCommand(context: ExtensionCommandContext): Promise<number> {
  const [what, ...args] = context.args;
  if (what === undefined) throw new UsageError("What to generate is missing: gen types");
  if (what !== "types") throw new UsageError(`Unknown action "${what}".`);
  const { values } = parseOptions(args, OPTIONS);
  const schemas = values.schema ?? context.serviceSettings.dbSchemas;
  const text = await context.withDatabase(async ({ client, loadCatalogue }) => {
    const missing = await selectMissingSchemas(client, schemas);
    if (missing.length > 0) throw new Error(`There is no schema ${missing.join(", ")}.`);
    return renderAppTypes(await loadCatalogue(schemas), await selectEnums(client, schemas));
  });
  if (values.out === undefined) context.stdout.write(text);
  else {
    await writeFile(resolve(values.out), text);
    context.stdout.write(`Wrote ${values.out}\n`);
  }
  return 0;
}

/** The type `Database` of the SDK with the tables, views, functions and enumerations of the app. */
function renderAppTypes(catalogue: Catalogue, enums: readonly Enumeration[]): string {
  const names = namesIn(catalogue, enums);
  const schemas = [...catalogue.schemas.keys()].map(
    (schema) => `${renderProperty(schema)}: ${renderSchema(schema, catalogue, enums, names)}`,
  );
  const body = renderMembers([`__InternalSupabase: SwarmbaseDatabase["__InternalSupabase"]`, ...schemas]);
  const json = /\bJson\b/.test(withoutDocs(body)) ? ", Json" : "";
  return `// Written by "swarmbase gen types" from the database; do not edit.
import type { Database as SwarmbaseDatabase${json} } from "@swarmbase/sdk";

/** For \`createClient<Database>()\` of supabase-js: the tables of Swarmbase and those of the app. */
export type Database = ${body};
`;
}

function renderSchema(
  schema: string,
  catalogue: Catalogue,
  enums: readonly Enumeration[],
  names: FunctionNames,
): string {
  const { relations, functions } = catalogue.schemas.get(schema) ?? {};
  const own = [...(relations?.values() ?? [])]
    .filter(({ name }) => !isServices(schema, "relations", name))
    .toSorted(byName);
  const list = (isView: boolean): string[] =>
    own
      .filter((relation) => relation.isView === isView)
      .map(
        (relation) =>
          `${renderDoc(relation.comment)}${renderProperty(relation.name)}: ${renderRelation(relation, catalogue, names)}`,
      );
  const calls = [...(functions ?? [])]
    .filter(([name]) => !isServices(schema, "functions", name))
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .map(
      ([name, overloads]) =>
        `${renderDoc(commentOf(overloads))}${renderProperty(name)}:${renderFunction(overloads, names)}`,
    );
  const choices = enums
    .filter((each) => each.schema === schema)
    .map(({ name, values }) => `${renderProperty(name)}: ${values.map((value) => JSON.stringify(value)).join(" | ")}`);
  const member = (name: string, members: readonly string[]): string => {
    const base = schema === SERVICE_SCHEMA ? `SwarmbaseDatabase["${schema}"]["${name}"]` : null;
    if (base === null || name === "Enums") return `${name}: ${renderMembers(members)}`;
    return members.length === 0 ? `${name}: ${base}` : `${name}: ${base} & ${renderMembers(members)}`;
  };
  return renderMembers([
    member("Tables", list(false)),
    member("Views", list(true)),
    member("Functions", calls),
    member("Enums", choices),
    "CompositeTypes: { [name in never]: never }",
  ]);
}

function isServices(schema: string, kind: keyof typeof SERVICE_NAMES, name: string): boolean {
  return schema === SERVICE_SCHEMA && (SERVICE_NAMES[kind] as readonly string[]).includes(name);
}

function renderRelation(relation: Relation, catalogue: Catalogue, names: TypeNames): string {
  const columns = [...relation.columns.values()];
  const written = columns.filter(({ isWritable }) => isWritable);
  const isWritten = relation.isInsertable || relation.isUpdatable;
  const member = (column: Column, mark = ""): string =>
    `${renderDoc(column.comment)}${renderProperty(column.name)}${mark}: ${renderValue(column, names)}`;
  return renderMembers([
    `Row: ${renderMembers(columns.map((column) => member(column)))}`,
    ...(isWritten
      ? [
          `Insert: ${renderMembers(written.map((column) => member(column, isRequired(column) ? "" : "?")))}`,
          `Update: ${renderMembers(written.map((column) => member(column, "?")))}`,
        ]
      : []),
    `Relationships: ${renderRelationships(catalogue, relation)}`,
  ]);
}

function isRequired({ isNullable, hasDefault }: Column): boolean {
  return !isNullable && !hasDefault;
}

function renderValue({ type, isNullable }: Column, names: TypeNames): string {
  return `${renderType(type, names)}${isNullable ? " | null" : ""}`;
}

function namesIn({ schemas }: Catalogue, enums: readonly Enumeration[]): FunctionNames {
  const byTypeName = new Map(enums.map((each) => [each.typeName, each]));
  const member = (schema: string, kind: string, name: string): string =>
    `Database[${JSON.stringify(schema)}]["${kind}"][${JSON.stringify(name)}]`;
  return {
    rowOf({ schema, name }: QualifiedName) {
      const relation = schemas.get(schema)?.relations.get(name);
      return relation === undefined ? null : `${member(schema, relation.isView ? "Views" : "Tables", name)}["Row"]`;
    },
    enumOf(typeName) {
      const found = byTypeName.get(typeName);
      return found === undefined ? null : member(found.schema, "Enums", found.name);
    },
    isReturnedNullable: () => false,
  };
}

function byName(one: Relation, other: Relation): number {
  return one.name < other.name ? -1 : 1;
}
