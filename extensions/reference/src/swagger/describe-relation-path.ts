import type { Relation } from "swarmbase/extension";
import { bodyName, filterName } from "./parameters.ts";
import { referTo, type SwaggerOperation, type SwaggerPath, type SwaggerSchema, splitComment } from "./swagger.ts";

const READ = ["select", "order", "range", "rangeUnit", "offset", "limit", "preferCount"];

/** The operations that a relation supports. */
export function describeRelationPath(relation: Relation): SwaggerPath {
  const { name } = relation;
  const filters = [...relation.columns.keys()].map((column) => filterName(relation, column));
  const body = bodyName(relation);
  const rows: SwaggerSchema = { type: "array", items: referTo("definitions", name) };
  const describe = (parameters: readonly string[], responses: SwaggerOperation["responses"]): SwaggerOperation => ({
    tags: [name],
    ...splitComment(relation.comment),
    parameters: parameters.map((parameter) => referTo("parameters", parameter)),
    responses,
  });
  const done = { 204: { description: "No Content" } };
  return {
    get: describe([...filters, ...READ], {
      200: { description: "OK", schema: rows },
      206: { description: "Partial Content" },
    }),
    ...(relation.isInsertable && {
      post: describe([body, "select", "on_conflict", "preferPost"], { 201: { description: "Created" } }),
    }),
    ...(relation.isUpdatable && { patch: describe([...filters, body, "select", "preferReturn"], done) }),
    ...(relation.isDeletable && { delete: describe([...filters, "select", "preferReturn"], done) }),
  };
}
