import { LIMITS } from "@swarmbase/sdk";
import { refer } from "../operations/operation-text.ts";
import { listOf, TEXT } from "../schemas/schema-parts.ts";
import { readTablesFile } from "../tables/read-tables-file.ts";
import {
  type RecordedExchange,
  TABLE_PREFIX,
  type TableDescription,
  type TableOperation,
} from "../tables/table-description.ts";
import { describeFunctions } from "./describe-functions.ts";
import type { Operation, Parameter, Reference, Schema } from "./document.ts";
import { renderCurl } from "./render-curl.ts";
import { headersOf, rowsAnswer } from "./table-answers.ts";
import { filtersOf, parameterOf, tableParameters } from "./table-parameters.ts";
import { tableErrors } from "./table-responses.ts";
import { pascalCase, schemaName, tableSchemas } from "./table-schemas.ts";

export const TABLES_TAG = {
  name: "Tables",
  description:
    "Tables and views under `/rest/v1`, in the query language of PostgREST: filters, embedding, upserts, counts. Row-level rules decide what each caller reads and changes.",
} as const;

interface TablesPart {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly schemas: Readonly<Record<string, Schema>>;
  readonly parameters: Readonly<Record<string, Parameter>>;
}

/** The tables as part of the document. */
export function describeTables(): TablesPart {
  const { tables, calls, exchanges } = readTablesFile();
  return {
    paths: {
      [TABLE_PREFIX]: { get: describeIndex() },
      ...Object.fromEntries(tables.map((table) => [`${TABLE_PREFIX}/${table.name}`, describeTable(table, exchanges)])),
      ...describeFunctions(calls, operationOf),
    },
    schemas: tableSchemas(tables),
    parameters: tableParameters(tables),
  };
}

function describeTable(table: TableDescription, exchanges: readonly RecordedExchange[]): Record<string, Operation> {
  const recorded = (method: string): RecordedExchange | undefined =>
    exchanges.find((one) => one.table === table.name && one.method === method);
  return {
    get: describeRead(table, recorded("GET")),
    ...(table.operations.includes("insert") && { post: describeInsert(table, recorded("POST")) }),
    ...(table.operations.includes("update") && { patch: describeUpdate(table, recorded("PATCH")) }),
    ...(table.operations.includes("delete") && { delete: describeDelete(table, recorded("DELETE")) }),
  };
}

function describeRead(table: TableDescription, exchange: RecordedExchange | undefined): Operation {
  const names = ["select", "order", "limit", "offset", "and", "or", "readPreferences", "heldTag"];
  return operationOf(`list${pascalCase(table.name)}`, {
    summary: `Read \`${table.name}\``,
    description: [table.summary, ...table.notes].join(" "),
    parameters: [...filtersOf(table), ...names.map(parameterOf)],
    responses: {
      200: rowsAnswer(table.name, "The rows that the caller can read and that match all filters", exchange),
      206: rowsAnswer(table.name, "A part of the rows: of those that were counted, or up to `DB_MAX_ROWS`"),
      304: { $ref: "#/components/responses/NotModified" },
      ...tableErrors("get"),
    },
    callers: callersOf(table, "select"),
    exchange,
  });
}

function describeInsert(table: TableDescription, exchange: RecordedExchange | undefined): Operation {
  const row = refer(schemaName(table.name, "Insert"));
  return operationOf(`insert${pascalCase(table.name)}`, {
    summary: `Insert rows into \`${table.name}\``,
    description:
      "One row or an array of rows, all in one transaction. `Prefer: resolution=merge-duplicates` updates rows that exist.",
    parameters: ["select", "columns", "on_conflict", "writePreferences", "idempotencyKey"].map(parameterOf),
    requestBody: bodyOf(
      [
        { ...row, title: "one row" },
        { ...listOf(row), title: "several rows" },
      ],
      exchange,
    ),
    responses: {
      200: rowsAnswer(table.name, "No row is new: `merge-duplicates` updated all of them"),
      201: rowsAnswer(
        table.name,
        "Inserted. The rows with `Prefer: return=representation`, otherwise nothing",
        exchange,
      ),
      ...tableErrors("post"),
    },
    callers: callersOf(table, "insert"),
    exchange,
  });
}

function describeUpdate(table: TableDescription, exchange: RecordedExchange | undefined): Operation {
  const changes = refer(schemaName(table.name, "Update"));
  const many: Schema = {
    type: "array",
    items: { type: "object" },
    title: "several rows, each with its primary key",
  };
  return operationOf(`update${pascalCase(table.name)}`, {
    summary: `Update rows of \`${table.name}\``,
    description: "Changes the rows that match all filters; at least one filter is required.",
    parameters: [...filtersOf(table), ...["select", "columns", "and", "or", "writePreferences"].map(parameterOf)],
    requestBody: bodyOf([{ ...changes, title: "the same changes for all rows" }, many], exchange),
    responses: {
      200: rowsAnswer(table.name, "The updated rows, with `Prefer: return=representation`", exchange),
      204: { description: "Updated", headers: headersOf() },
      ...tableErrors("patch"),
    },
    callers: callersOf(table, "update"),
    exchange,
  });
}

function describeDelete(table: TableDescription, exchange: RecordedExchange | undefined): Operation {
  return operationOf(`delete${pascalCase(table.name)}`, {
    summary: `Delete rows of \`${table.name}\``,
    description: "Deletes the rows that match all filters; at least one filter is required.",
    parameters: [...filtersOf(table), ...["select", "and", "or", "writePreferences"].map(parameterOf)],
    responses: {
      200: rowsAnswer(table.name, "The deleted rows, with `Prefer: return=representation`"),
      204: { description: "Deleted", headers: headersOf() },
      ...tableErrors("delete"),
    },
    callers: callersOf(table, "delete"),
    exchange,
  });
}

function describeIndex(): Operation {
  return operationOf("describeTables", {
    summary: "Describe the tables that the caller can access",
    description:
      "The OpenAPI 2 document of PostgREST, for type generators. It contains the tables that an operator has added.",
    responses: {
      200: {
        description: "OpenAPI 2",
        headers: headersOf(),
        content: {
          "application/openapi+json": { schema: { type: "object", additionalProperties: true } },
        },
      },
      ...tableErrors("get"),
    },
  });
}

interface OperationFields extends Pick<Operation, "summary" | "responses"> {
  readonly description: string;
  readonly parameters?: readonly Reference[];
  readonly requestBody?: NonNullable<Operation["requestBody"]>;
  readonly exchange?: RecordedExchange | undefined;
  readonly callers?: readonly string[];
}

/** Callers of the access matrix that can do it with the row that the matrix is about. */
function callersOf({ access }: TableDescription, operation: TableOperation): readonly string[] {
  const cells = access.find((line) => line.operation === operation)?.cells ?? {};
  return Object.keys(cells).filter((caller) => cells[caller] === "yes");
}

function operationOf(operationId: string, { exchange, callers, ...parts }: OperationFields): Operation {
  return {
    operationId,
    tags: [TABLES_TAG.name],
    ...parts,
    security: [{ apikey: [], bearer: [] }],
    "x-limits": [LIMITS.api.name],
    ...(callers !== undefined && { "x-callers": callers }),
    ...(exchange !== undefined && {
      "x-codeSamples": [{ lang: "shell", label: "curl", source: renderExchange(exchange) }],
    }),
  };
}

/** A recorded request for a shell. */
export function renderExchange({ method, path, prefer, body }: RecordedExchange): string {
  return renderCurl({
    method,
    path: `${TABLE_PREFIX}${path}`,
    query: "",
    access: "user",
    body: body ?? undefined,
    prefer,
  });
}

function bodyOf(
  forms: readonly Schema[],
  exchange: RecordedExchange | undefined,
): NonNullable<Operation["requestBody"]> {
  return {
    required: true,
    content: {
      "application/json": {
        schema: { anyOf: forms },
        ...(exchange !== undefined && { examples: { "one row": { value: exchange.body } } }),
      },
      "text/csv": { schema: TEXT },
    },
  };
}
