import type { ColumnDescription, TableDescription } from "../tables/table-description.ts";
import type { Parameter, Reference } from "./document.ts";

const EXAMPLE_ID = "019a8b2c-0000-7000-8000-000000000001";

/** Parameters of the query language. */
const SHARED: Readonly<Record<string, Parameter>> = {
  select: inQuery("select", "Columns and embeddings to return; the default is all columns", [
    "id",
    "*",
    "id,created_at",
  ]),
  order: inQuery("order", "`column.asc` or `column.desc`, with `.nullsfirst` or `.nullslast`, separated by commas", [
    "created_at.desc",
  ]),
  limit: {
    name: "limit",
    in: "query",
    description: "The largest number of rows",
    schema: { type: "integer", minimum: 0 },
  },
  offset: {
    name: "offset",
    in: "query",
    description: "How many rows to skip",
    schema: { type: "integer", minimum: 0 },
  },
  and: inQuery("and", "Filters that must all match: `(a.eq.1,or(b.is.null,b.gt.2))`", ["(created_at.not.is.null)"]),
  or: inQuery("or", "Filters of which one must match: `(a.eq.1,b.is.null)`", ["(created_at.not.is.null)"]),
  columns: inQuery("columns", "The columns of the body to use, separated by commas", ["id"]),
  on_conflict: inQuery("on_conflict", "Of an upsert: the unique columns; the default is the primary key", ["id"]),
  readPreferences: inPrefer("`count=exact`, `planned` or `estimated`; `handling=strict`; `timezone=…`", [
    "count=exact",
    "handling=strict",
  ]),
  heldTag: {
    name: "If-None-Match",
    in: "header",
    description: "The `ETag` of an earlier response. The response is a 304 when it would be the same",
    schema: { type: "string" },
  },
  idempotencyKey: {
    name: "Idempotency-Key",
    in: "header",
    description:
      "Up to 255 characters, with the token of a user. For a day, the same request with the same key returns the first response, with `Idempotent-Replayed: true`",
    schema: { type: "string", minLength: 1, maxLength: 255 },
  },
  writePreferences: inPrefer(
    "`return=minimal`, `headers-only` or `representation`; `resolution=merge-duplicates` or `ignore-duplicates`; `missing=default`; `count=exact`; `handling=strict` with `max-affected=…`",
    ["return=representation", "return=minimal", "resolution=merge-duplicates", "count=exact"],
  ),
};

/** Every parameter of every table, by the name of the component. */
export function tableParameters(tables: readonly TableDescription[]): Record<string, Parameter> {
  const filters = tables.flatMap((table) =>
    table.columns.map((column): [string, Parameter] => [
      filterName(table, column),
      inQuery(column.name, `Filter \`operator.value\`. ${column.description}`, examplesOf(column)),
    ]),
  );
  return { ...SHARED, ...Object.fromEntries(filters) };
}

export function filtersOf(table: TableDescription): Reference[] {
  return table.columns.map((column) => parameterOf(filterName(table, column)));
}

export function parameterOf(name: string): Reference {
  return { $ref: `#/components/parameters/${name}` };
}

function filterName({ name }: TableDescription, column: ColumnDescription): string {
  return `filter.${name}.${column.name}`;
}

function examplesOf({ schema }: ColumnDescription): string[] {
  const types = [schema.type].flat();
  if (schema.enum !== undefined) return [`eq.${String(schema.enum[0])}`];
  if (schema.format === "uuid") return [`eq.${EXAMPLE_ID}`];
  if (schema.format === "date-time") return ["gte.2026-11-15T12:00:00Z"];
  if (schema.format === "date") return ["gte.2026-11-15"];
  if (types.includes("boolean")) return ["is.true"];
  if (types.includes("integer") || types.includes("number")) return ["gt.0"];
  if (types.includes("array")) return ["cs.{}"];
  if (types.includes("object") || schema.type === undefined) return ["not.is.null"];
  return ["ilike.a*"];
}

function inQuery(name: string, description: string, examples: readonly string[]): Parameter {
  return { name, in: "query", description, schema: { type: "string", examples } };
}

function inPrefer(description: string, examples: readonly string[]): Parameter {
  return { name: "Prefer", in: "header", description, schema: { type: "string", examples } };
}
