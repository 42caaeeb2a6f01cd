import { refer } from "../operations/operation-text.ts";
import { TEXT } from "../schemas/schema-parts.ts";
import type { RecordedExchange } from "../tables/table-description.ts";
import { LIMIT_HEADERS } from "./describe-errors.ts";
import type { Response, Schema } from "./document.ts";
import { schemaName } from "./table-schemas.ts";

export function headersOf(): NonNullable<Response["headers"]> {
  return {
    "X-Request-Id": { $ref: "#/components/headers/X-Request-Id" },
    "Content-Range": { $ref: "#/components/headers/Content-Range" },
    "Preference-Applied": { $ref: "#/components/headers/Preference-Applied" },
    ...LIMIT_HEADERS,
  };
}

/** With `select`, rows have other members. */
export function rowsSchema(row: Schema): Schema {
  return {
    anyOf: [
      { type: "array", items: row, title: "all columns" },
      { type: "array", items: { type: "object" }, title: "with select: the selected columns and embeddings" },
    ],
  };
}

export function rowsAnswer(table: string, description: string, exchange?: RecordedExchange): Response {
  const row = refer(schemaName(table, "Row"));
  return {
    description,
    headers: headersOf(),
    content: {
      "application/json": {
        schema: rowsSchema(row),
        ...(exchange !== undefined && exchange.answer !== null && { example: exchange.answer }),
      },
      "application/vnd.pgrst.object+json": { schema: { anyOf: [row, { type: "object", title: "with select" }] } },
      "text/csv": { schema: TEXT },
    },
  };
}
