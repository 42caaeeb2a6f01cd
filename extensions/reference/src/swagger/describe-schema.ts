import type { Catalogue, Link, Relation, SchemaDescription } from "swarmbase/extension";
import { describeRelation } from "./definitions.ts";
import { describeFunctionPath, PRODUCED_JSON } from "./function-path.ts";
import { describeParameters } from "./parameters.ts";
import { describeRelationPath } from "./relation-path.ts";
import { type SwaggerPath, splitComment } from "./swagger.ts";

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
  const links = linksBetween(catalogue, schema, relations);
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
      relations.map((relation) => [relation.name, describeRelation(relation, links.get(relation.name) ?? [])]),
    ),
    parameters: describeParameters(relations),
    securityDefinitions: SECURITY,
    security: [{ JWT: [], apikey: [] }],
  };
}

/** By the relation that has the key. Keys to relations outside the document are omitted. */
function linksBetween(catalogue: Catalogue, schema: string, relations: readonly Relation[]): Map<string, Link[]> {
  const shown = new Set(relations.map(({ name }) => name));
  const isShown = (name: Link["from"]) => name.schema === schema && shown.has(name.name);
  const found = catalogue.links.filter(({ from, target }) => isShown(from) && isShown(target));
  return Map.groupBy(found, ({ from }) => from.name);
}

function describeAddress(baseUrl: string): { host: string; basePath: string; schemes: string[] } {
  const { host, pathname, protocol } = new URL(baseUrl);
  return { host, basePath: pathname.replace(/(?<=.)\/+$/, ""), schemes: [protocol.replace(":", "")] };
}
