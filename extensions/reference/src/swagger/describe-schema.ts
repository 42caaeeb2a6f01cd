import type { Catalogue, Column, ForeignKeyRelationship, Relation, SchemaDescription } from "swarmbase/extension";
import { describeDefault, describeType } from "./describe-type.ts";
import { describeFunctionPath, PRODUCED_JSON } from "./function-path.ts";
import { describeParameters } from "./parameters.ts";
import { describeRelationPath } from "./describe-relation-path.ts";
import { splitComment, type SwaggerPath, type SwaggerSchema } from "./swagger.ts";

const MEDIA_TYPES = [...PRODUCED_JSON, "text/csv"];

const ROOT_PATH: SwaggerPath = {
  get: {
    tags: ["Introspection"],
    summary: "OpenAPI description (this document)",
    produces: ["application/openapi+json", "application/json"],
    responses: { 200: { description: "OK" } },
  },
};

const SECURITY = {
  JWT: {
    type: "apiKey",
    in: "header",
    name: "Authorization",
    description: 'Add the token prepending "Bearer " (without quotes) to it',
  },
  apikey: { type: "apiKey", in: "header", name: "apikey", description: "The anon or service_role key" },
} as const;

/** One exposed schema as a Swagger 2.0 document, with the notes that type generators parse. */
export function describeSchema(catalogue: Catalogue, options: SchemaDescription) {
  const { schema, version, visibility } = options;
  const entry = catalogue.schemas.get(schema);
  const relations = [...(entry?.relations.values() ?? [])].filter((one) => visibility?.hasRelation(one) ?? true);
  const functions = [...(entry?.functions.values() ?? [])]
    .map((overloads) => overloads.filter((one) => visibility?.hasFunction(one) ?? true))
    .filter((overloads) => overloads.length > 0);
  const relationships = relationshipsBetween(catalogue, schema, relations);
  const { summary, description } = splitComment(entry?.comment ?? null);
  return {
    swagger: "2.0",
    info: {
      title: summary ?? "Swarmbase API",
      description: description ?? `Tables, views and functions of the schema ${schema}`,
      version,
    },
    ...describeAddress(options.baseUrl),
    consumes: MEDIA_TYPES,
    produces: MEDIA_TYPES,
    paths: Object.fromEntries([
      ["/", ROOT_PATH],
      ...relations.map((relation) => [`/${relation.name}`, describeRelationPath(relation)]),
      ...functions.map((overloads) => [`/rpc/${overloads[0]?.name ?? ""}`, describeFunctionPath(overloads)]),
    ]) as Record<string, SwaggerPath>,
    definitions: Object.fromEntries(
      relations.map((relation) => [relation.name, describeRelation(relation, relationships.get(relation.name) ?? [])]),
    ),
    parameters: describeParameters(relations),
    securityDefinitions: SECURITY,
    security: [{ JWT: [], apikey: [] }],
  };
}

/** By the relation that has the key. Keys to relations outside the document are omitted. */
function relationshipsBetween(
  catalogue: Catalogue,
  schema: string,
  relations: readonly Relation[],
): Map<string, ForeignKeyRelationship[]> {
  const shown = new Set(relations.map(({ name }) => name));
  const isShown = (name: ForeignKeyRelationship["from"]) => name.schema === schema && shown.has(name.name);
  const found = catalogue.relationships.filter(({ from, target }) => isShown(from) && isShown(target));
  return Map.groupBy(found, ({ from }) => from.name);
}

function describeAddress(baseUrl: string): { host: string; basePath: string; schemes: string[] } {
  const { host, pathname, protocol } = new URL(baseUrl);
  return { host, basePath: pathname.replace(/(?<=.)\/+$/, ""), schemes: [protocol.replace(":", "")] };
}

/** A relation as an object schema for type generators. `relationships` are its foreign keys. */
function describeRelation(relation: Relation, relationships: readonly ForeignKeyRelationship[]): SwaggerSchema {
  const columns = [...relation.columns.values()];
  const required = columns.filter(({ isNullable }) => !isNullable).map(({ name }) => name);
  return {
    ...(relation.comment !== null && { description: relation.comment }),
    ...(required.length > 0 && { required }),
    properties: Object.fromEntries(
      columns.map((column) => [column.name, describeColumn(column, relation, relationships)]),
    ),
    type: "object",
  };
}

function describeColumn(
  column: Column,
  relation: Relation,
  relationships: readonly ForeignKeyRelationship[],
): SwaggerSchema {
  const description = describeKeys(column, relation, relationships);
  const fallback = describeDefault(column);
  return {
    ...describeType(column.type),
    ...(fallback !== null && { default: fallback.value }),
    ...(column.maxLength !== null && { maxLength: column.maxLength }),
    ...(description !== null && { description }),
  };
}

/** The comment and the notes on keys that type generators parse. */
function describeKeys(
  { name, comment }: Column,
  { primaryKey }: Relation,
  relationships: readonly ForeignKeyRelationship[],
): string | null {
  const notes: string[] = [];
  if (primaryKey.includes(name)) notes.push("This is a Primary Key.<pk/>");
  const foreign = findForeign(name, relationships);
  if (foreign !== null) {
    const { table, column } = foreign;
    notes.push(`This is a Foreign Key to \`${table}.${column}\`.<fk table='${table}' column='${column}'/>`);
  }
  if (notes.length === 0) return comment;
  return `${comment === null ? "" : `${comment}\n\n`}Note:\n${notes.join("\n")}`;
}

/** Only single-column keys are noted; a table is preferred to a view of it. */
function findForeign(
  name: string,
  relationships: readonly ForeignKeyRelationship[],
): { table: string; column: string } | null {
  const own = relationships.filter(({ columns }) => columns.length === 1 && columns[0]?.[0] === name);
  const relationship = own.find(({ isTargetView }) => !isTargetView) ?? own[0];
  const column = relationship?.columns[0]?.[1];
  return relationship === undefined || column === undefined ? null : { table: relationship.target.name, column };
}
