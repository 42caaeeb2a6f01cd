import { type Html, html } from "swarmbase/extension";
import { TABLES_TAG } from "../openapi/describe-tables.ts";
import type { OpenApiDocument, Operation } from "../openapi/document.ts";
import { TABLE_PREFIX } from "../tables/table-description.ts";
import { prose, slugOf } from "./prose.ts";
import { renderJson, renderSource } from "./render-code.ts";
import { renderPath } from "./render-operation.ts";

interface TableOnPage {
  /** Below `/rest/v1/`; empty for the description of all tables. */
  readonly name: string;
  readonly path: string;
  readonly operations: readonly (readonly [method: string, operation: Operation])[];
}

export function tablesOf({ paths }: OpenApiDocument): readonly TableOnPage[] {
  return Object.entries(paths)
    .filter(([, methods]) => Object.values(methods).some(({ tags }) => tags.includes(TABLES_TAG.name)))
    .map(([path, methods]) => ({
      name: path.slice(TABLE_PREFIX.length + 1) || "all tables",
      path,
      operations: Object.entries(methods),
    }));
}

/** One article for each table: its operations share their query language and their errors. */
export function renderTables(document: OpenApiDocument): Html {
  return html`<section class="group"><h2 id="tables"><a class="anchor" href="#tables">Tables</a></h2>
<p class="group-text">${prose(TABLES_TAG.description)} ${prose("Every column is a filter: `column=operator.value`. `select`, `order`, `limit`, `offset`, `and`, `or` and the header `Prefer` work in every table.")}</p>
${tablesOf(document).map(renderTable)}</section>`;
}

function renderTable({ name, path, operations }: TableOnPage): Html {
  const [first] = operations;
  const id = `table-${slugOf(name)}`;
  const words = operations.map(([method, { operationId, summary }]) => `${method} ${summary} ${operationId}`).join(" ");
  return html`
<article id="${id}" class="operation" data-search="${`${name} table rest ${words}`.toLowerCase()}">
<div class="about">
<h3><a class="anchor" href="#${id}"><code>${name}</code></a></h3>
<p>${prose(first?.[1].description ?? "")}</p>
${operations.map(([method, operation]) => renderMethod(method, path, operation))}
</div>
<div class="samples">${operations.map(([method, operation]) => renderSamples(method, operation))}</div>
</article>`;
}

function renderMethod(method: string, path: string, operation: Operation): Html {
  const { operationId, requestBody, responses } = operation;
  const callers = operation["x-callers"];
  const sent = requestBody?.content["application/json"]?.schema;
  const rowForm = firstReference(sent);
  const answered = responses["200"];
  const got =
    answered !== undefined && "content" in answered ? answered.content?.["application/json"]?.schema : undefined;
  const row = firstReference(got);
  return html`<p class="address" id="${operationId}"><span class="method ${method}">${method.toUpperCase()}</span> <code>${renderPath(path)}</code></p>
<p class="facts">${(callers ?? []).map((caller) => html`<span class="fact">${caller}</span>`)}${
    rowForm !== null && html`<span class="fact">sends <a href="#schema-${slugOf(rowForm)}">${rowForm}</a></span>`
  }${row !== null && html`<span class="fact">returns <a href="#schema-${slugOf(row)}">${row}</a></span>`}</p>`;
}

function renderSamples(method: string, operation: Operation): Html {
  const answered = Object.values(operation.responses).flatMap((response) => {
    const example = "content" in response ? response.content?.["application/json"]?.example : undefined;
    return example === undefined ? [] : [example];
  });
  const [example] = answered;
  return html`${(operation["x-codeSamples"] ?? []).map(({ label, source }) => renderSource(source, label))}${
    method === "get" && example !== undefined && renderJson(example, "Answer 200")
  }`;
}

/** The name of the row's schema, which the first form of rows and bodies refers to. */
function firstReference(schema: { readonly anyOf?: readonly object[] } | undefined): string | null {
  const reference = /"#\/components\/schemas\/(\w+)"/.exec(JSON.stringify(schema?.anyOf ?? []))?.[1];
  return reference ?? null;
}
