import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { FunctionResult } from "../../src/rest/catalogue/catalogue.ts";
import { negotiate } from "../../src/rest/plan/negotiate.ts";
import { parse, rejectionOf } from "./support/parsing.ts";
import { dataType, functionResult, INTEGER, TEXT } from "./support/respond-stage.ts";

const BYTES = dataType("bytea", "bytea");
const ROW = dataType("things", "composite");
const JSON_TYPE = "application/json; charset=utf-8";
const OBJECT = "application/vnd.pgrst.object+json";

function pick(accept: string | undefined, result: FunctionResult | null = null, method = "GET", path = "/things") {
  const headers = accept === undefined ? {} : { accept };
  const request = parse({ method, headers, path: result === null ? path : "/rpc/act" });
  return negotiate(request, { isPlanEnabled: true, functionResult: result });
}

describe("negotiation of rows", () => {
  const rows: readonly [accept: string | undefined, contentType: string, body: object][] = [
    [undefined, JSON_TYPE, { kind: "array", hasNulls: true }],
    ["*/*", JSON_TYPE, { kind: "array", hasNulls: true }],
    ["application/*", JSON_TYPE, { kind: "array", hasNulls: true }],
    ["Application/JSON", JSON_TYPE, { kind: "array", hasNulls: true }],
    ["application/vnd.pgrst.array+json", JSON_TYPE, { kind: "array", hasNulls: true }],
    [
      "application/vnd.pgrst.array+json;nulls=stripped",
      "application/vnd.pgrst.array+json;nulls=stripped; charset=utf-8",
      { kind: "array", hasNulls: false },
    ],
    [OBJECT, `${OBJECT}; charset=utf-8`, { kind: "object", hasNulls: true }],
    ["application/vnd.pgrst.object", `${OBJECT}; charset=utf-8`, { kind: "object", hasNulls: true }],
    [`${OBJECT}; nulls=stripped`, `${OBJECT};nulls=stripped; charset=utf-8`, { kind: "object", hasNulls: false }],
    ["text/csv", "text/csv; charset=utf-8", { kind: "csv" }],
    ["text/*", "text/csv; charset=utf-8", { kind: "csv" }],
    ["application/geo+json", "application/geo+json; charset=utf-8", { kind: "geojson" }],
    ["image/png, text/csv;q=0.4, application/json;q=0.5", JSON_TYPE, { kind: "array", hasNulls: true }],
    ["text/csv, application/json", "text/csv; charset=utf-8", { kind: "csv" }],
  ];
  for (const [accept, contentType, body] of rows) {
    it(`${accept ?? "no header"}: ${contentType}`, () => {
      assert.deepEqual(pick(accept), { contentType, body, explain: null });
    });
  }

  it("is rejected with all accepted types, best first", () => {
    assert.deepEqual(
      rejectionOf(() => pick("image/png;q=0.5, text/html")),
      {
        code: "PGRST107",
        status: 406,
        message: "None of these media types are available: text/html, image/png",
        details: null,
      },
    );
    assert.equal(rejectionOf(() => pick("application/json;q=0")).code, "PGRST107");
    assert.equal(rejectionOf(() => pick("application/openapi+json")).code, "PGRST107");
    assert.equal(rejectionOf(() => pick("text/plain")).code, "PGRST107");
  });

  it("returns no body for HEAD, but keeps that one object was requested", () => {
    assert.deepEqual(pick("*/*", null, "HEAD").body, { kind: "none" });
    assert.deepEqual(pick(OBJECT, null, "HEAD").body, { kind: "object", hasNulls: true });
  });

  it("does not apply to OPTIONS", () => {
    assert.deepEqual(pick("image/png", null, "OPTIONS").body, { kind: "none" });
  });
});

describe("negotiation at the root", () => {
  for (const accept of [undefined, "*/*", "application/*", "application/json", "application/openapi+json"]) {
    it(`returns the description for ${accept ?? "no header"}`, () => {
      assert.equal(pick(accept, null, "GET", "/").contentType, "application/openapi+json; charset=utf-8");
    });
  }

  it("supports no other type", () => {
    assert.equal(rejectionOf(() => pick("text/csv", null, "GET", "/")).code, "PGRST107");
  });
});

describe("negotiation of function results", () => {
  const scalar = functionResult("scalar", TEXT);
  const number = functionResult("scalar", INTEGER);
  const bytes = functionResult("scalar", BYTES);
  const list = functionResult("scalar", TEXT, true);
  const one = functionResult("composite", ROW);
  const many = functionResult("composite", ROW, true);
  const page = functionResult("scalar", dataType("text", "text", { name: 'public."text/html"', isDomain: true }));
  const image = functionResult("scalar", dataType("bytea", "bytea", { name: '"image/png"', isDomain: true }));

  const rows: readonly [name: string, result: FunctionResult, accept: string, contentType: string, body: object][] = [
    ["a scalar", scalar, "*/*", JSON_TYPE, { kind: "value", hasNulls: true }],
    ["a scalar", scalar, "text/plain", "text/plain; charset=utf-8", { kind: "raw", encoding: "text" }],
    ["a scalar", scalar, "application/octet-stream", "application/octet-stream", { kind: "raw", encoding: "text" }],
    ["a scalar", scalar, OBJECT, `${OBJECT}; charset=utf-8`, { kind: "value", hasNulls: true }],
    ["a number", number, "text/plain", "text/plain; charset=utf-8", { kind: "raw", encoding: "text" }],
    ["bytes", bytes, "application/octet-stream", "application/octet-stream", { kind: "raw", encoding: "hex" }],
    ["bytes", bytes, "application/json", JSON_TYPE, { kind: "value", hasNulls: true }],
    ["scalars", list, "application/json", JSON_TYPE, { kind: "value", hasNulls: true }],
    ["one row", one, "application/json", JSON_TYPE, { kind: "value", hasNulls: true }],
    ["rows", many, "application/json", JSON_TYPE, { kind: "array", hasNulls: true }],
    ["rows", many, OBJECT, `${OBJECT}; charset=utf-8`, { kind: "object", hasNulls: true }],
    ["rows", many, "text/csv", "text/csv; charset=utf-8", { kind: "csv" }],
    ["nothing", functionResult("void", dataType("void", "void")), "*/*", JSON_TYPE, { kind: "none" }],
    ["a domain named as a type", page, "text/html", "text/html; charset=utf-8", { kind: "raw", encoding: "text" }],
    ["a domain named as a type", page, "*/*", "text/html; charset=utf-8", { kind: "raw", encoding: "text" }],
    ["a domain named as a type", page, "application/json", JSON_TYPE, { kind: "value", hasNulls: true }],
    ["a domain over bytes", image, "image/*", "image/png", { kind: "raw", encoding: "hex" }],
  ];
  for (const [name, result, accept, contentType, body] of rows) {
    it(`${name} as ${accept}`, () => {
      assert.deepEqual(pick(accept, result), { contentType, body, explain: null });
    });
  }

  const rejected: readonly [name: string, result: FunctionResult, accept: string][] = [
    ["bytes", bytes, "text/plain"],
    ["a number", number, "application/octet-stream"],
    ["rows", many, "text/plain"],
    ["scalars", list, "application/octet-stream"],
    ["a scalar", scalar, "text/xml"],
    ["a domain named as a type", page, "image/png"],
  ];
  for (const [name, result, accept] of rejected) {
    it(`${name} cannot be ${accept}`, () => {
      assert.equal(rejectionOf(() => pick(accept, result)).code, "PGRST107");
    });
  }
});

describe("negotiation of execution plans", () => {
  it("reads the format, the explained media type, and options from a fixed list", () => {
    const accept = `application/vnd.pgrst.plan+json; for="text/csv"; options=verbose|analyze|drop table;`;
    assert.deepEqual(pick(accept), {
      contentType: 'application/vnd.pgrst.plan+json; for="text/csv"; options=analyze|verbose; charset=utf-8',
      body: { kind: "csv" },
      explain: { format: "json", options: ["analyze", "verbose"] },
    });
    assert.deepEqual(pick("application/vnd.pgrst.plan"), {
      contentType: 'application/vnd.pgrst.plan+text; for="application/json"; charset=utf-8',
      body: { kind: "array", hasNulls: true },
      explain: { format: "text", options: [] },
    });
    assert.equal(pick(`application/vnd.pgrst.plan+text; for="${OBJECT};nulls=stripped"`).body.kind, "object");
  });

  it("is rejected when disabled, or for an unknown media type", () => {
    const request = parse({ headers: { accept: "application/vnd.pgrst.plan+text" } });
    assert.equal(
      rejectionOf(() => negotiate(request, { isPlanEnabled: false, functionResult: null })).code,
      "PGRST107",
    );
    assert.equal(rejectionOf(() => pick('application/vnd.pgrst.plan; for="image/png"')).code, "PGRST107");
  });
});
