import type { StatementResult } from "../db/index.ts";
import type { Catalogue, FunctionEntry, Relation } from "./catalogue/catalogue.ts";
import { buildOpenApi, type OpenApiOptions, type Visibility } from "./openapi/build-openapi.ts";
import type { ParsedRequest } from "./parse/parsed-request.ts";
import { METHODS } from "./parse/route.ts";
import { getRelation } from "./plan/get-relation.ts";
import { negotiate } from "./respond/negotiate.ts";
import type { RestAnswer } from "./rest-call.ts";

/** Lists the methods that a path supports; the database decides whether this caller may use them. */
export function answerOptions(request: ParsedRequest, catalogue: Catalogue): RestAnswer {
  const { target, schema } = request;
  return { status: 200, headers: { allow: listAllowed(target, schema, catalogue).join(",") }, body: null };
}

function listAllowed(target: ParsedRequest["target"], schema: string, catalogue: Catalogue): readonly string[] {
  switch (target.kind) {
    case "root":
      return METHODS.root;
    case "relation":
      return allowedOn(getRelation(catalogue, { schema, name: target.name }));
    case "rpc":
      return allowedFor(catalogue.schemas.get(schema)?.functions.get(target.name) ?? []);
  }
}

/** A read-only transaction can call any function, but one that is volatile probably writes. */
function allowedFor(overloads: readonly FunctionEntry[]): readonly string[] {
  const isWriting = overloads.length > 0 && overloads.every(({ volatility }) => volatility === "volatile");
  return isWriting ? ["OPTIONS", "POST"] : METHODS.rpc;
}

function allowedOn({ isInsertable, isUpdatable, isDeletable, primaryKey }: Relation): readonly string[] {
  return [
    "OPTIONS",
    "GET",
    "HEAD",
    ...(isInsertable ? ["POST"] : []),
    ...(isInsertable && isUpdatable && primaryKey.length > 0 ? ["PUT"] : []),
    ...(isUpdatable ? ["PATCH"] : []),
    ...(isDeletable ? ["DELETE"] : []),
  ];
}

/** Returns the OpenAPI document of the objects that the caller has any privilege on. */
export function answerRoot(
  request: ParsedRequest,
  catalogue: Catalogue,
  options: Omit<OpenApiOptions, "schema">,
): RestAnswer {
  const { contentType } = negotiate(request, { isPlanEnabled: false, functionResult: null });
  const baseUrl = `${options.baseUrl}/rest/v1`;
  const body = JSON.stringify(buildOpenApi(catalogue, { ...options, schema: request.schema, baseUrl }));
  return { status: 200, headers: { "content-type": contentType }, body: request.method === "HEAD" ? null : body };
}

/** From the rows of `SELECT_VISIBLE`. */
export function readVisibility({ rows }: StatementResult): Visibility {
  const seen = new Set(rows.map(([kind, name]) => `${kind} ${name}`));
  return {
    hasRelation: ({ name }) => seen.has(`r ${name}`),
    hasFunction: ({ name }) => seen.has(`f ${name}`),
  };
}
