// In charge of: tables, views and functions of the exposed schemas over HTTP.
// Not in charge of: authentication (auth), validation of the service's tables (tables), sockets (http).
export { isWriteAttempt } from "./attempt.ts";
export type {
  Catalogue,
  Column,
  DataType,
  FunctionEntry,
  ForeignKeyRelationship,
  Parameter,
  QualifiedName,
  Relation,
} from "./catalogue/catalogue.ts";
export { loadCatalogue } from "./catalogue/load-catalogue.ts";
export { nearestNames } from "./catalogue/nearest-names.ts";
export type { DescribeSchema, SchemaDescription } from "./describe.ts";
export { type ParseOptions, parseRequest, type RequestInput } from "./parse/parse-request.ts";
export type { JsonObject, JsonValue } from "./parse/parsed-request.ts";
export type { TouchedName } from "./plan/names-of.ts";
export type { RestAnswer, RestCall } from "./rest-call.ts";
export { openRest, type RestModule } from "./rest-module.ts";
export type { ReadAttempt, RewrittenRows, TableRules, WriteAttempt } from "./table-rules.ts";
