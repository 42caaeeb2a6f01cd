import type { StatementResult } from "@swarmbase/postgres";
import type { Catalogue, FunctionEntry, Relation } from "./catalogue/catalogue.ts";
import type { ParsedRequest } from "./parse/parsed-request.ts";
import { METHODS } from "./parse/route.ts";
import { getRelation } from "./plan/get-relation.ts";
import { negotiate } from "./plan/negotiate.ts";
import type { RestAnswer } from "./rest-call.ts";
import { restError } from "./rest-error.ts";

/** What a description of a schema contains. */
export interface SchemaDescription {
  readonly schema: string;
  /** Where the tables are served, such as `https://example.com/rest/v1`. */
  readonly baseUrl: string;
  readonly version: string;
  /** What the caller may see; everything when absent. */
  readonly visibility?: Visibility;
}

interface Visibility {
  hasRelation(relation: Relation): boolean;
  hasFunction(entry: FunctionEntry): boolean;
}

/** Describes one exposed schema as a document. */
export type DescribeSchema = (catalogue: Catalogue, description: SchemaDescription) => unknown;

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

/** Returns the description of the objects that the caller has any privilege on. */
export async function answerRoot(
  request: ParsedRequest,
  catalogue: Catalogue,
  { describe, ...options }: Omit<SchemaDescription, "schema"> & { readonly describe: DescribeSchema | null },
): Promise<RestAnswer> {
  const { contentType } = negotiate(request, { isPlanEnabled: false, functionResult: null });
  if (describe === null)
    throw restError("PGRST126", "Root endpoint metadata is disabled", { hint: "Load the extension reference" });
  const baseUrl = `${options.baseUrl}/rest/v1`;
  const body = JSON.stringify(await describe(catalogue, { ...options, schema: request.schema, baseUrl }));
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
