import { refer } from "../operations/operation-text.ts";
import type { Header, Reference, Response, Schema } from "./document.ts";

export const TABLE_HEADERS: Readonly<Record<string, Header>> = {
  "Content-Range": {
    description: "The returned rows, and their total if `Prefer: count=…` asked for it: `0-9/57`, `0-9/*`, `*/0`",
    schema: { type: "string" },
  },
  ETag: {
    description: "The tag of the response, if the request has `If-None-Match` or `Cache-Control: max-age=0`",
    schema: { type: "string" },
  },
  "Preference-Applied": { description: "The preferences that were applied", schema: { type: "string" } },
};

const TABLE_ERROR: Schema = refer("TableError");

/** Errors of tables, by the name of the component. */
export const TABLE_RESPONSES: Readonly<Record<string, Response>> = {
  NotModified: {
    description: "The response would be the one that the client holds",
    headers: { ETag: { $ref: "#/components/headers/ETag" } },
  },
  TableAmbiguous: describe("`PGRST201`: several relationships match an embedding; `details` lists them"),
  TableBadRequest: {
    ...describe(
      "`VALIDATION_ERROR` and other codes of the service, `PGRST1xx` for a query or body that cannot be parsed, `42703` and `PGRST204` for an unknown column, `PGRST108` and `PGRST200` for an unknown relationship, `21000` for a change without a filter, an SQLSTATE of class 22 or 23 for a value that the database rejects",
    ),
    content: { "application/json": { schema: { anyOf: [TABLE_ERROR, refer("ValidationError")] } } },
  },
  TableForbidden: {
    ...describe(
      "`FORBIDDEN`, `PERMISSION_DENIED`, `AGENT_LIMIT_REACHED`: a row-level rule, a missing privilege or a limit",
    ),
    content: { "application/json": { schema: refer("Error") } },
  },
  TableNotFound: describe(
    "`AGENT_NOT_FOUND`, `SWARM_NOT_FOUND` and others of the service; `42883`: the column's type does not have the operator",
  ),
  TableNotAcceptable: describe("`PGRST116`: not exactly one row for a single object; `PGRST107`: no such media type"),
  TableConflict: describe("`23505`: a duplicate of a unique value; `23503`: a reference to a row that does not exist"),
  TableTooLarge: describe("`PAYLOAD_TOO_LARGE`, `RESPONSE_TOO_LARGE`"),
  TableKeyReused: describe("`IDEMPOTENCY_KEY_REUSED`: the `Idempotency-Key` was used before with a different request"),
  TableRange: describe("`PGRST103`: the requested range begins after the last row"),
  TableInternalError: describe("`INTERNAL_ERROR`, or an SQLSTATE"),
  TableUnavailable: describe(
    "`SERVICE_UNAVAILABLE`, `PGRST003`, `55P03`, `40P01`, `40001`; wait `Retry-After` seconds",
    {
      "Retry-After": { $ref: "#/components/headers/Retry-After" },
    },
  ),
  TableTimeout: describe("`57014`: longer than `DB_STATEMENT_TIMEOUT_MS`"),
};

const EVERYWHERE: Readonly<Record<string, string>> = {
  400: "TableBadRequest",
  401: "Unauthorized",
  403: "TableForbidden",
  404: "TableNotFound",
  406: "TableNotAcceptable",
  413: "TableTooLarge",
  429: "RateLimited",
  431: "HeadersTooLarge",
  500: "TableInternalError",
  503: "TableUnavailable",
  504: "TableTimeout",
};

const OF_METHOD: Readonly<Record<"get" | "post" | "patch" | "delete", Readonly<Record<string, string>>>> = {
  get: { 300: "TableAmbiguous", 416: "TableRange" },
  post: { 300: "TableAmbiguous", 409: "TableConflict", 415: "UnsupportedMediaType", 422: "TableKeyReused" },
  patch: { 300: "TableAmbiguous", 409: "TableConflict", 415: "UnsupportedMediaType" },
  delete: { 300: "TableAmbiguous", 409: "TableConflict" },
};

/** The errors of one operation, by status. */
export function tableErrors(method: keyof typeof OF_METHOD): Record<string, Reference> {
  const names = Object.entries({ ...EVERYWHERE, ...OF_METHOD[method] });
  return Object.fromEntries(names.map(([status, name]) => [status, { $ref: `#/components/responses/${name}` }]));
}

function describe(description: string, headers: Readonly<Record<string, Header>> = {}): Response {
  return {
    description,
    headers: { "X-Request-Id": { $ref: "#/components/headers/X-Request-Id" }, ...headers },
    content: { "application/json": { schema: TABLE_ERROR } },
  };
}
