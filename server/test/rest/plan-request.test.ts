import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { RequestInput } from "../../src/rest/parse/parse-request.ts";
import { prepareRequest, type RequestShape } from "../../src/rest/prepare-request.ts";
import { findFunction } from "../../src/rest/plan/find-function.ts";
import type { Plan } from "../../src/rest/plan/plan.ts";
import { planRequest } from "../../src/rest/plan/plan-request.ts";
import { RequestShapeCache } from "../../src/rest/request-shape-cache.ts";
import { catalogueOf, fn, table } from "./support/entry-catalogue.ts";
import { parameterisedOf, ROWS } from "./support/planning.ts";

const catalogue = catalogueOf({
  relations: [table("things", { id: "integer", name: "text" }, ["id"])],
  functions: [fn("double", ["a integer"])],
});

function plan(method: string, url: string, input: Partial<RequestInput> = {}): Plan {
  const { request, parameterised } = parameterisedOf(url, { input: { method, ...input } });
  const { placeholders, isCapped } = parameterised;
  const called = request.target.kind === "rpc" ? findFunction(catalogue, request) : null;
  return planRequest(request, called, { catalogue, media: ROWS, placeholders, isCapped });
}

const KINDS: readonly (readonly [method: string, url: string, kind: Plan["kind"], body?: string])[] = [
  ["GET", "things", "read"],
  ["HEAD", "things", "read"],
  ["POST", "things", "write", '{"id":1}'],
  ["PATCH", "things?id=eq.1", "write", '{"name":"a"}'],
  ["PUT", "things?id=eq.1", "write", '{"id":1,"name":"a"}'],
  ["DELETE", "things?id=eq.1", "write"],
  ["GET", "rpc/double?a=1", "call"],
  ["POST", "rpc/double", "call", '{"a":1}'],
];

describe("preparing a call of a function", () => {
  it("looks up the function once per request, whether or not the plan is cached", () => {
    let lookups = 0;
    const schemas = new Map(
      [...catalogue.schemas].map(([name, schema]) => {
        const functions = new Map(schema.functions);
        const get = functions.get.bind(functions);
        functions.get = (key) => {
          lookups += 1;
          return get(key);
        };
        return [name, { ...schema, functions }];
      }),
    );
    const options = {
      limits: { maxRows: null, countCap: 10, maxBytes: 1000 },
      isPlanEnabled: false,
      isCountCapped: false,
      isOwn: () => true,
      isOfPortal: () => false,
    };
    const { request } = parameterisedOf("rpc/double?a=1");
    const source = { catalogue: { ...catalogue, schemas }, shapes: new RequestShapeCache<RequestShape>() };
    for (const count of [1, 2]) {
      assert.equal(prepareRequest(request, source, options).shape.plan.kind, "call");
      assert.equal(lookups, count);
    }
  });
});

describe("planning a request", () => {
  for (const [method, url, kind, body] of KINDS) {
    it(`makes a ${kind} of ${method} ${url}`, () => {
      const input = body === undefined ? {} : { body: Buffer.from(body), contentType: "application/json" };
      assert.equal(plan(method, url, input).kind, kind);
    });
  }

  it("filters a write as it filters a read", () => {
    const filters = "things?id=eq.1&or=(name.is.null,name.like.a*)";
    const read = plan("GET", filters);
    const write = plan("DELETE", filters);
    assert.ok(read.kind === "read" && write.kind === "write" && write.write.kind === "delete");
    assert.deepEqual(write.write.where, read.root.where);
  });
});
