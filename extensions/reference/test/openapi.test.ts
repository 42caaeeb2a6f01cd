import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { BaseResolver, createConfig, lintDocument, Source } from "@redocly/openapi-core";
import { ERROR_CODES, EVENT_TYPES } from "@swarmbase/sdk";
import { buildSampleEvent, describeInterface } from "../../../server/test/support/interface.ts";
import { extension } from "../src/extension.ts";
import { buildOpenApi } from "../src/openapi/build-open-api.ts";
import type { Operation, Parameter, Response, Schema } from "../src/openapi/document.ts";
import { renderPage } from "../src/page/render-page.ts";
import { readTablesFile } from "../src/tables/read-tables-file.ts";
import { createDocumentValidator } from "./support/document-validator.ts";

const core = await describeInterface();
const document = buildOpenApi(core);
const validator = createDocumentValidator(document);
const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ name: `${method.toUpperCase()} ${path}`, path, operation })),
);

describe("the OpenAPI document", () => {
  it("has every route of the core and of the extension itself, functions of other extensions, every table, and nothing else", () => {
    const functions = ["schedules", "triggers", "provider-keys"].map((name) => ({
      method: "POST",
      path: `/functions/v1/${name}`,
    }));
    const routes = [...core.routes, ...functions, ...(extension.routes ?? [])].map(
      ({ method, path }) => `${method} ${path.replaceAll(/:(\w+)/g, "{$1}")}`,
    );
    const notOffered = document["x-not-offered"].map(({ method, path }) => `${method} ${path}`);
    const others = operations.filter(({ path }) => !path.startsWith("/rest/v1")).map(({ name }) => name);
    assert.deepEqual([...others, ...notOffered].toSorted(), routes.toSorted());
    const methods = { select: "GET", insert: "POST", update: "PATCH", delete: "DELETE" };
    const tables = readTablesFile().tables.flatMap((table) =>
      table.operations.map((operation) => `${methods[operation]} /rest/v1/${table.name}`),
    );
    assert.deepEqual(
      operations
        .filter(({ path }) => path.startsWith("/rest/v1"))
        .map(({ name }) => name)
        .toSorted(),
      [
        ...tables,
        "GET /rest/v1",
        "POST /rest/v1/rpc/webhook_attempt_counts",
        "POST /rest/v1/rpc/webhook_health",
        "POST /rest/v1/rpc/emit_event",
        "POST /rest/v1/rpc/restore_agent_version",
      ].toSorted(),
    );
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
      const parameters = parametersOf(operation);
      const inPath = parameters.filter((parameter) => parameter.in === "path");
      assert.deepEqual(
        inPath.map((parameter) => parameter.name).toSorted(),
        [...path.matchAll(/\{(\w+)\}/g)].map(([, parameter = ""]) => parameter).toSorted(),
        name,
      );
      for (const parameter of inPath) assert.equal(parameter.required, true, name);
      assert.equal(new Set(parameters.map((parameter) => `${parameter.in} ${parameter.name}`)).size, parameters.length);
      assert.ok(Object.keys(operation.responses).length > 0, name);
      for (const status of Object.keys(operation.responses)) assert.match(status, /^(?:[1-5]\d\d|default)$/, name);
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
      for (const { schema } of parametersOf(operation)) validator.findFault(schema, "");
      const body = operation.requestBody?.content["application/json"];
      for (const [title, { value }] of Object.entries(body?.examples ?? {})) {
        assert.equal(validator.findFault(body?.schema ?? {}, value), null, `${name}: ${title}`);
      }
      for (const { schema, example } of contentsOf(operation)) {
        assert.equal(example === undefined ? null : validator.findFault(schema, example), null, name);
      }
    }
  });

  it("lints clean with the rules that Redocly recommends", async () => {
    assert.deepEqual(await lint(document), []);
    const { get } = document.paths["/health"] ?? {};
    const { security: _, ...open } = get ?? assert.fail();
    const components = { ...document.components, parameters: {} };
    const broken = {
      ...document,
      components,
      webhooks: {},
      paths: { "/health": { get: open } },
    } as unknown as typeof document;
    assert.ok((await lint(broken)).some((problem) => problem.startsWith("security-defined")));
  });

  it("has a 2xx and a refusal of every operation, apart from a redirect and the socket", () => {
    const without = (kind: string): string[] =>
      operations
        .filter(({ operation }) => !Object.keys(operation.responses).some((status) => status.startsWith(kind)))
        .map(({ name }) => name);
    assert.deepEqual(without("2"), [
      "GET /auth/v1/authorize",
      "GET /auth/v1/callback",
      "POST /auth/v1/callback",
      "GET /auth/v1/verify",
      "GET /auth/v1/oauth/authorize",
      "GET /realtime/v1/websocket",
    ]);
    assert.deepEqual(without("4"), []);
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

describe("the tables of the document", () => {
  const { tables, exchanges } = readTablesFile();

  it("say of every event what raises it", () => {
    const raised = new Set(tables.flatMap(({ events }) => Object.keys(events)));
    assert.deepEqual(
      EVENT_TYPES.filter((type) => !raised.has(type)),
      [],
    );
  });

  it("have an example of every operation, which their schemas take", () => {
    for (const { name, operations: able } of tables) {
      const methods = exchanges.filter(({ table }) => table === name).map(({ method }) => method);
      assert.equal(new Set(methods).size, able.length, name);
    }
    for (const { table, method, status, answer, body } of exchanges) {
      const operation = document.paths[`/rest/v1/${table}`]?.[method.toLowerCase()] ?? assert.fail(table);
      const response = operation.responses[status];
      assert.ok(response !== undefined && !("$ref" in response), `${method} ${table}`);
      const { schema } = response.content?.["application/json"] ?? { schema: undefined };
      const [allColumns] = schema?.anyOf ?? [];
      if (answer !== null) assert.equal(validator.findFault(allColumns ?? {}, answer), null, `${method} ${table}`);
      const sent = operation.requestBody?.content["application/json"]?.schema;
      if (body !== null) assert.equal(validator.findFault(sent ?? {}, body), null, `${method} ${table}`);
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
      else assert.match(link, /^\/(?:reference|reference\/reference\.css|openapi\.json)$/);
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

async function lint(linted: typeof document): Promise<string[]> {
  const config = await createConfig({ extends: ["recommended"] });
  const source = new Source("/openapi.json", JSON.stringify(linted));
  const problems = await lintDocument({
    document: { source, parsed: structuredClone(linted) },
    externalRefResolver: new BaseResolver(),
    config,
  });
  return problems.map(({ ruleId, message, location }) => `${ruleId} ${location[0]?.pointer ?? ""} ${message}`);
}

function parametersOf({ parameters = [] }: Operation): Parameter[] {
  return parameters.map((parameter) =>
    "schema" in parameter ? parameter : document.components.parameters[parameter.$ref.split("/").at(-1) ?? ""]!,
  );
}

function contentsOf(operation: Operation): { schema: Schema; example?: unknown }[] {
  const answers = Object.values(operation.responses).filter((answer): answer is Response => !("$ref" in answer));
  return answers.flatMap(({ content }) => Object.values(content ?? {}));
}
