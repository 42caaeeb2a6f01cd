import { ERROR_CODES, LIMITS } from "@swarmbase/sdk";
import { type Html, html } from "swarmbase/extension";
import { TABLES_TAG } from "../openapi/describe-tables.ts";
import type { OpenApiDocument, Schema } from "../openapi/document.ts";
import { prose, slugOf } from "./prose.ts";
import { renderJson } from "./render-code.ts";
import { type PlacedOperation, renderOperation } from "./render-operation.ts";
import { isEventSchema, renderSchema } from "./render-schema.ts";
import { renderTables, tablesOf } from "./render-tables.ts";

interface Section {
  readonly name: string;
  readonly description: string;
  readonly operations: readonly PlacedOperation[];
}

/** The document as a page that needs nothing but its style sheet, and its script only to search. */
export function renderPage(document: OpenApiDocument): string {
  const sections = document.tags
    .filter(({ name }) => name !== TABLES_TAG.name)
    .map((tag): Section => ({ ...tag, operations: operationsOf(document, tag.name) }))
    .filter(({ operations }) => operations.length > 0);
  const page = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Swarmbase API reference</title>
<link rel="stylesheet" href="/reference/reference.css">
<script src="/reference/reference.js" defer></script>
</head>
<body>
<a class="skip" href="#content">To the content</a>
<header class="top">
<a class="brand" href="/reference">Swarmbase <span>API reference</span></a>
<label class="search" hidden><span class="unseen">Search</span><input type="search" id="search" placeholder="Search" autocomplete="off" spellcheck="false"><kbd>/</kbd></label>
<nav class="links"><a href="/openapi.json">OpenAPI</a></nav>
</header>
<div class="frame">
<details class="menu" open><summary>Contents</summary><nav aria-label="Contents">${renderContents(document, sections)}</nav></details>
<main id="content">
${renderIntroduction(document)}
${renderTables(document)}
${sections.map((section) => renderSection(section, document))}
${renderNotOffered(document)}
${renderEvents(document)}
${renderErrors()}
${renderLimits()}
${renderSchemas(document)}
<p class="nothing" hidden>Nothing here is called that.</p>
</main>
</div>
</body>
</html>
`;
  return page.markup;
}

function operationsOf({ paths }: OpenApiDocument, tag: string): PlacedOperation[] {
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods)
      .filter(([, { tags }]) => tags.includes(tag))
      .map(([method, operation]) => ({ method: method.toUpperCase(), path, operation })),
  );
}

function renderContents(document: OpenApiDocument, sections: readonly Section[]): Html {
  return html`<ul>
<li><a href="#start">Start</a></li>
<li><details><summary><a href="#tables">Tables</a></summary><ul>${tablesOf(document).map(
    ({ name }) =>
      html`<li data-for="table-${slugOf(name)}"><a href="#table-${slugOf(name)}"><span>${name}</span></a></li>`,
  )}</ul></details></li>
${sections.map(
  ({ name, operations }) =>
    html`<li><details ${operations.length < 20 && "open"}><summary><a href="#${slugOf(name)}">${name}</a></summary><ul>${operations.map(
      ({ method, path, operation }) =>
        html`<li data-for="${operation.operationId}"><a href="#${operation.operationId}"><span class="method ${method.toLowerCase()}">${SHORT[method] ?? method}</span><span>${shorten(path)}</span></a></li>`,
    )}</ul></details></li>`,
)}
<li><a href="#not-offered">Not offered</a></li>
<li><details><summary><a href="#events">Events</a></summary><ul>${Object.keys(document.webhooks).map(
    (type) => html`<li data-for="event-${slugOf(type)}"><a href="#event-${slugOf(type)}"><span>${type}</span></a></li>`,
  )}</ul></details></li>
<li><a href="#errors">Errors</a></li>
<li><a href="#limits">Limits</a></li>
<li><a href="#schemas">Schemas</a></li>
</ul>`;
}

const SHORT: Readonly<Record<string, string>> = { DELETE: "DEL" };

/** The heading above it shows the start of the path. */
function shorten(path: string): string {
  return path.replace(/^\/(?:functions|auth|realtime)\/v1/, "");
}

function renderIntroduction({ info }: OpenApiDocument): Html {
  return html`<section id="start" class="lead"><h1>API reference</h1>
${info.description.split("\n\n").map((paragraph) => html`<p>${prose(paragraph)}</p>`)}
<p>The examples are for a shell that has <code>$SWARMBASE_URL</code>, <code>$ANON_KEY</code>, <code>$ACCESS_TOKEN</code> and <code>$SERVICE_ROLE_KEY</code>; those with supabase-js for a client made with <code>createClient(url, anonKey)</code>, and <code>admin</code> for one made with the service role key. Interface version <code>${info.version}</code>.</p></section>`;
}

function renderSection({ name, description, operations }: Section, document: OpenApiDocument): Html {
  const { responses } = document.components;
  return html`<section class="group"><h2 id="${slugOf(name)}"><a class="anchor" href="#${slugOf(name)}">${name}</a></h2>
<p class="group-text">${prose(description)}</p>${operations.map((one) => renderOperation(one, responses))}</section>`;
}

function renderNotOffered({ "x-not-offered": calls }: OpenApiDocument): Html {
  return html`<section class="group" data-search="not offered unsupported sso oauth"><h2 id="not-offered"><a class="anchor" href="#not-offered">Not offered</a></h2>
<p class="group-text">${prose("Calls that supabase-js can make and that always get the same error.")}</p>
<div class="table"><table><thead><tr><th>Call</th><th>Status</th><th>Code</th></tr></thead><tbody>${calls.map(
    ({ method, path, status, code }) =>
      html`<tr><td><code>${method} ${path}</code></td><td>${status}</td><td><code>${code}</code></td></tr>`,
  )}</tbody></table></div></section>`;
}

function renderEvents({ webhooks, tags, components }: OpenApiDocument): Html {
  const text = tags.find(({ name }) => name === "Events")?.description ?? "";
  const events = Object.entries(webhooks).map(([type, { post }]) => {
    const content = post.requestBody.content["application/json"];
    const envelope = components.schemas[content?.schema.$ref?.replace("#/components/schemas/", "") ?? ""];
    const data = envelope?.properties?.["data"] ?? {};
    return html`<article id="event-${slugOf(type)}" class="operation" data-search="${`${type} ${post.summary} event webhook`.toLowerCase()}">
<div class="about"><h3><a class="anchor" href="#event-${slugOf(type)}"><code>${type}</code></a></h3><p>${prose(post.summary)} ${prose(post.description)}</p>
<h4><code>data</code></h4>${renderSchema(data, "got")}</div>
<div class="samples">${renderJson(content?.example ?? {}, "Body of the delivery")}</div></article>`;
  });
  return html`<section class="group"><h2 id="events"><a class="anchor" href="#events">Events</a></h2><p class="group-text">${prose(text)}</p>${events}</section>`;
}

function renderErrors(): Html {
  const rows = Object.entries(ERROR_CODES).toSorted(([, one], [, other]) => one.status - other.status);
  return html`<section class="group" data-search="errors codes status"><h2 id="errors"><a class="anchor" href="#errors">Errors</a></h2>
<p class="group-text">${prose("Every error is a JSON object with `code`, `message`, `details`, `hint` and `error`. The code decides the status.")}</p>
<div class="table"><table><thead><tr><th>Code</th><th>Status</th><th>Meaning</th></tr></thead><tbody>${rows.map(
    ([code, { status, meaning }]) =>
      html`<tr><td><code>${code}</code></td><td>${status}</td><td>${prose(meaning)}</td></tr>`,
  )}</tbody></table></div></section>`;
}

function renderLimits(): Html {
  return html`<section class="group" data-search="rate limits headers retry-after"><h2 id="limits"><a class="anchor" href="#limits">Limits</a></h2>
<p class="group-text">${prose("Counted by user, or by address without a signed-in user. The operator may have set other numbers: `X-RateLimit-Limit`, `X-RateLimit-Remaining` and `X-RateLimit-Reset` show the limit with the fewest remaining calls, and `Retry-After` shows how long to wait after a 429. The service role is not limited.")}</p>
<div class="table"><table><thead><tr><th>Row</th><th>Calls</th><th>Window</th></tr></thead><tbody>${Object.values(
    LIMITS,
  ).map(
    ({ name, limit, windowSeconds }) => html`<tr><td>${name}</td><td>${limit}</td><td>${windowSeconds} s</td></tr>`,
  )}</tbody></table></div></section>`;
}

function renderSchemas({ components }: OpenApiDocument): Html {
  const parts = Object.entries(components.schemas)
    // Events stand above, each with what it holds.
    .filter(([name]) => !isEventSchema(name))
    .map(([name, schema]) => renderNamedSchema(name, schema));
  return html`<section class="group"><h2 id="schemas"><a class="anchor" href="#schemas">Schemas</a></h2>${parts}</section>`;
}

function renderNamedSchema(name: string, schema: Schema): Html {
  const { description } = schema;
  return html`<article id="schema-${slugOf(name)}" class="schema" data-search="${`${name} schema`.toLowerCase()}"><h3><a class="anchor" href="#schema-${slugOf(name)}">${name}</a></h3>
${description !== undefined && html`<p>${prose(description)}</p>`}${renderSchema(withoutDescription(schema), "got")}</article>`;
}

function withoutDescription({ description: _, ...schema }: Schema): Schema {
  return schema;
}
