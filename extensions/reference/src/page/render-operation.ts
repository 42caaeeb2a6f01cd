import { type Html, html } from "swarmbase/extension";
import type { OpenApiDocument, Operation, Parameter, Reference, Response } from "../openapi/document.ts";
import { prose } from "./prose.ts";
import { renderJson, renderSource } from "./render-code.ts";
import { renderSchema, renderType } from "./render-schema.ts";

export interface PlacedOperation {
  readonly method: string;
  readonly path: string;
  readonly operation: Operation;
}

type Shared = OpenApiDocument["components"]["responses"];

export function renderOperation({ method, path, operation }: PlacedOperation, shared: Shared): Html {
  const { operationId, summary, description, requestBody } = operation;
  const parameters = (operation.parameters ?? []).filter((parameter) => "schema" in parameter);
  const body = requestBody?.content["application/json"];
  return html`
<article id="${operationId}" class="operation" data-search="${`${method} ${path} ${summary} ${operationId}`.toLowerCase()}">
<div class="about">
<h3><a class="anchor" href="#${operationId}">${prose(summary)}</a></h3>
<p class="address"><span class="method ${method.toLowerCase()}">${method}</span> <code>${renderPath(path)}</code></p>
${description !== undefined && html`<p>${prose(description)}</p>`}
<p class="facts">${renderFacts(operation)}</p>
${parameters.length > 0 && html`<h4>Parameters</h4>${renderParameters(parameters)}`}
${body !== undefined && html`<h4>Body</h4>${renderSchema(body.schema, "sent")}`}
<h4>Answers</h4>
${renderResponses(operation, shared)}
</div>
<div class="samples">
${(operation["x-codeSamples"] ?? []).map(({ label, source }) => renderSource(source, label))}
${renderExamples(operation)}
</div>
</article>`;
}

/** A long path breaks at its slashes. */
export function renderPath(path: string): Html {
  return html`${path.split("/").map((part, place) => html`${place > 0 && html`/<wbr>`}${part}`)}`;
}

function renderFacts(operation: Operation): Html {
  const needs = operation.security.flatMap((entry) => Object.keys(entry));
  const who = needs.includes("serviceRole")
    ? "service role"
    : needs.includes("bearer")
      ? "key and access token"
      : needs.includes("apikey")
        ? "key"
        : "open to all";
  const limits = operation["x-limits"];
  return html`<span class="fact">${who}</span>${limits.map((row) => html`<a class="fact" href="#limits">${row}</a>`)}${
    limits.length === 0 && html`<span class="fact">not counted</span>`
  }`;
}

function renderParameters(parameters: readonly Parameter[]): Html {
  return html`<dl class="members">${parameters.map(
    ({ name, in: place, required = false, description, schema }) =>
      html`<div><dt><code>${name}</code>${required && html`<span class="required">needed</span>`}</dt><dd><span class="type">${place} · ${renderType(schema)}</span> <span class="remark">${prose(description)}</span></dd></div>`,
  )}</dl>`;
}

function renderResponses({ responses }: Operation, shared: Shared): Html {
  return html`<dl class="answers">${Object.entries(responses)
    .filter(([status]) => status !== "default")
    .toSorted(([one], [other]) => Number(one) - Number(other))
    .map(([status, response]) => renderResponse(status, resolve(response, shared)))}</dl>`;
}

function renderResponse(status: string, response: Response): Html {
  const codes = response["x-error-codes"];
  const schema = Object.values(response.content ?? {})[0]?.schema;
  const kind = status.startsWith("2") || status.startsWith("1") ? "good" : status.startsWith("3") ? "moved" : "bad";
  if (codes !== undefined) {
    return html`<div><dt><span class="status ${kind}">${status}</span></dt><dd>${codes.map((code) => html`<code>${code}</code> `)}</dd></div>`;
  }
  const isRef = schema?.$ref !== undefined;
  const hasMembers = schema?.properties !== undefined || schema?.anyOf !== undefined;
  return html`<div><dt><span class="status ${kind}">${status}</span></dt><dd>${prose(response.description)}${
    schema !== undefined && isRef && html` <span class="type">${renderType(schema)}</span>`
  }${schema !== undefined && hasMembers && html`<details><summary>members</summary>${renderSchema(schema, "got", 1)}</details>`}</dd></div>`;
}

function renderExamples({ requestBody, responses }: Operation): Html {
  const bodies = Object.entries(requestBody?.content["application/json"]?.examples ?? {});
  const answered = Object.entries(responses).flatMap(([status, response]) => {
    const example = "content" in response ? Object.values(response.content ?? {})[0]?.example : undefined;
    return example === undefined ? [] : [{ status, example }];
  });
  return html`${bodies.slice(1).map(([name, { value }]) => renderJson(value, `Body: ${name}`))}${answered.map(
    ({ status, example }) => renderJson(example, `Answer ${status}`),
  )}`;
}

function resolve(response: Response | Reference, shared: Shared): Response {
  if (!("$ref" in response)) return response;
  const found = shared[response.$ref.replace("#/components/responses/", "")];
  if (found === undefined) throw new Error(`${response.$ref} leads nowhere`);
  return found;
}
