import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { ERROR_CODES, EVENT_TYPES } from "@swarmbase/sdk";
import { buildSampleEvent, describeInterface } from "../../../server/test/support/interface.ts";
import { extension } from "../src/extension.ts";
import { buildOpenApi } from "../src/openapi/build-openapi.ts";
import type { Operation, Response, Schema } from "../src/openapi/document.ts";
import { renderPage } from "../src/page/render-page.ts";
import { createDocumentValidator } from "./support/document-validator.ts";

const core = describeInterface();
const document = buildOpenApi(core);
const validator = createDocumentValidator(document);
const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ name: `${method.toUpperCase()} ${path}`, path, operation })),
);

describe("the OpenAPI document", () => {
  it("has every route of the core and of the extension itself, and no other", () => {
    const routes = [...core.routes, ...(extension.routes ?? [])].map(
      ({ method, path }) => `${method} ${path.replaceAll(/:(\w+)/g, "{$1}")}`,
    );
    assert.deepEqual(operations.map(({ name }) => name).toSorted(), routes.toSorted());
  });

  it("cannot be built with a text that has no route, or a route that has no text", () => {
    const path = "/functions/v1/agent-respond";
    const routes = core.routes.filter((route) => route.path !== path);
    assert.throws(() => buildOpenApi({ ...core, routes }), /agent-respond is described and not served/);
    const another = { method: "POST", path: "/functions/v1/another", access: "account", limits: ["api"] } as const;
    assert.throws(
      () => buildOpenApi({ ...core, routes: [...core.routes, another] }),
      /another is served and not described/,
    );
  });

  it("is well-formed: ids, tags, parameters, references, codes", () => {
    const ids = operations.map(({ operation }) => operation.operationId);
    assert.equal(new Set(ids).size, ids.length, "operation ids repeat");
    const tags = new Set(document.tags.map(({ name }) => name));
    const schemes = new Set(Object.keys(document.components.securitySchemes));
    for (const { name, path, operation } of operations) {
      assert.match(operation.operationId, /^[a-z][A-Za-z]+$/, name);
      for (const tag of operation.tags) assert.ok(tags.has(tag), `${name}: ${tag}`);
      for (const scheme of operation.security.flatMap(Object.keys)) assert.ok(schemes.has(scheme), name);
      const parameters = operation.parameters ?? [];
      const inPath = parameters.filter((parameter) => parameter.in === "path");
      assert.deepEqual(
        inPath.map((parameter) => parameter.name).toSorted(),
        [...path.matchAll(/\{(\w+)\}/g)].map(([, parameter = ""]) => parameter).toSorted(),
        name,
      );
      for (const parameter of inPath) assert.equal(parameter.required, true, name);
      assert.equal(new Set(parameters.map((parameter) => `${parameter.in} ${parameter.name}`)).size, parameters.length);
      assert.ok(Object.keys(operation.responses).length > 0, name);
      for (const status of Object.keys(operation.responses)) assert.match(status, /^[1-5]\d\d$/, name);
    }
    for (const [, reference = ""] of JSON.stringify(document).matchAll(/"\$ref":"([^"]+)"/g)) {
      const target = reference
        .split("/")
        .slice(1)
        .reduce<unknown>((part, step) => Reflect.get(Object(part), step) as unknown, document);
      assert.notEqual(target, undefined, `${reference} leads nowhere`);
    }
    assert.deepEqual(document.components.schemas["ErrorCode"]?.enum, Object.keys(ERROR_CODES));
  });

  it("has only schemas that a validator of JSON Schema 2020-12 takes, and examples that they take", () => {
    for (const [name, schema] of Object.entries(document.components.schemas)) {
      assert.doesNotThrow(() => validator.findFault(schema, {}), name);
    }
    for (const { name, operation } of operations) {
      for (const { schema } of operation.parameters ?? []) validator.findFault(schema, "");
      const body = operation.requestBody?.content["application/json"];
      for (const [title, { value }] of Object.entries(body?.examples ?? {})) {
        assert.equal(validator.findFault(body?.schema ?? {}, value), null, `${name}: ${title}`);
      }
      for (const { schema, example } of contentsOf(operation)) {
        assert.equal(example === undefined ? null : validator.findFault(schema, example), null, name);
      }
    }
  });

  it("has every event with its example, and the sample that is sent for it is one too", () => {
    assert.deepEqual(Object.keys(document.webhooks), EVENT_TYPES);
    for (const type of EVENT_TYPES) {
      const content = document.webhooks[type]?.post.requestBody.content["application/json"];
      const { schema, example } = content ?? { schema: {}, example: {} };
      assert.equal(validator.findFault(schema, example), null, type);
      const data = buildSampleEvent(type, "00000000-0000-4000-8000-000000000001", new Date(0));
      const sample = { ...(example as object), data };
      assert.equal(validator.findFault(schema, sample), null, `sample of ${type}`);
      const { [Object.keys(data)[0] ?? ""]: _, ...less } = data;
      assert.notEqual(validator.findFault(schema, { ...sample, data: less }), null, `${type} with a member missing`);
      assert.notEqual(validator.findFault(schema, { ...sample, type: "other" }), null, `${type} under another name`);
    }
  });
});

describe("the reference page", () => {
  const page = renderPage(document);
  const ids = new Set([...page.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id));

  it("shows every operation and every event, and leads nowhere that is not there", () => {
    for (const { operation } of operations) assert.ok(ids.has(operation.operationId), operation.operationId);
    for (const type of EVENT_TYPES) assert.ok(ids.has(`event-${type.replaceAll(/[._]/g, "-")}`), type);
    for (const code of Object.keys(ERROR_CODES)) assert.ok(page.includes(`<code>${code}</code>`), code);
    for (const [, link = ""] of page.matchAll(/ href="([^"]*)"/g)) {
      if (link.startsWith("#")) assert.ok(ids.has(link.slice(1)), `${link} leads nowhere`);
      else assert.match(link, /^\/(?:reference|reference\/reference\.css|openapi\.json|rest\/v1\/)$/);
    }
    assert.equal([...page.matchAll(/ id="/g)].length, ids.size, "an id stands there twice");
  });

  it("has nothing that its policy forbids: no inline script or style, nothing from elsewhere", () => {
    assert.doesNotMatch(page, / on\w+="| style="|<style|<iframe|<img|<form|javascript:/i);
    assert.deepEqual(
      [...page.matchAll(/<script[^>]*>/g)].map(([tag]) => tag),
      ['<script src="/reference/reference.js" defer>'],
    );
    assert.doesNotMatch(page, /(?:src|href)="https?:/);
  });
});

function contentsOf(operation: Operation): { schema: Schema; example?: unknown }[] {
  const answers = Object.values(operation.responses).filter((answer): answer is Response => !("$ref" in answer));
  return answers.flatMap(({ content }) => Object.values(content ?? {}));
}
