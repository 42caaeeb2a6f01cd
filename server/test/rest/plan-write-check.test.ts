import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { parameteriseRequest } from "../../src/rest/plan/parameterise-request.ts";
import { planWrite } from "../../src/rest/plan/plan-write.ts";
import { checkWrite } from "../../src/rest/plan/write-check.ts";
import { negotiate } from "../../src/rest/plan/negotiate.ts";
import { catalogueOf, table } from "./support/entry-catalogue.ts";
import { parse, rejectionOf } from "./support/parsing.ts";

const catalogue = catalogueOf({
  relations: [
    table("numbers", { id: "bigint", name: "text" }, ["id"]),
    table("texts", { id: "text" }, ["id"]),
    table("uuids", { id: "uuid", name: "text" }, ["id"]),
    table("times", { at: "timestamp with time zone" }, ["at"]),
    table("pairs", { left: "bigint", right: "text", note: "text" }, ["left", "right"]),
  ],
});

function check(method: string, path: string, body: string): void {
  const [pathname = "", search = ""] = path.split("?");
  const request = parse({ method, path: pathname, search, body: Buffer.from(body) });
  const media = negotiate(request, { isPlanEnabled: false, functionResult: null });
  const parameterised = parameteriseRequest(request, media, { maxRows: null });
  const target = { schema: request.schema, name: pathname.slice(1) };
  checkWrite(request, planWrite(request, target, { catalogue, media, ...parameterised }));
}

describe("the body of a PUT", () => {
  it("has the key of the filters, in any notation", () => {
    for (const [path, body] of [
      ["/numbers?id=eq.1", '{"id":1}'],
      ["/numbers?id=eq.1", '[{"id":"1"}]'],
      ["/numbers?id=eq.9007199254740993", '{"id":9007199254740993}'],
      ["/texts?id=eq.a", '{"id":"a"}'],
      ["/uuids?id=eq.0198C0DE-0000-7000-8000-000000000001", '{"id":"0198c0de000070008000000000000001"}'],
      ["/times?at=eq.2026-01-01T00:00:00Z", '{"at":"2026-01-01 01:00:00+01"}'],
      ["/pairs?left=eq.1&right=eq.b", '{"right":"b","left":1}'],
    ] as const) {
      assert.doesNotThrow(() => check("PUT", path, body), `${path} ${body}`);
    }
  });

  it("is rejected when it contains another key, none or several rows", () => {
    for (const [path, body] of [
      ["/numbers?id=eq.1", '{"id":2}'],
      ["/numbers?id=eq.9007199254740993", '{"id":9007199254740992}'],
      ["/numbers?id=eq.1", '{"name":"a"}'],
      ["/numbers?id=eq.1", '{"id":null}'],
      ["/numbers?id=eq.1", '[{"id":1},{"id":1}]'],
      ["/numbers?id=eq.1", "[]"],
      ["/texts?id=eq.a", '{"id":"A"}'],
      ["/uuids?id=eq.0198c0de-0000-7000-8000-000000000001", '{"id":"0198c0de-0000-7000-8000-000000000002"}'],
      ["/pairs?left=eq.1&right=eq.b", '{"left":1,"right":"c"}'],
    ] as const) {
      const { code, status, message } = rejectionOf(() => check("PUT", path, body));
      assert.deepEqual([code, status], ["PGRST115", 400], `${path} ${body}`);
      assert.equal(message, "Payload values do not match URL in primary key column(s)");
    }
  });
});

describe("the list of an update", () => {
  it("contains each row once, with its whole key", () => {
    for (const [path, body] of [
      ["/numbers", '[{"id":1,"name":"a"},{"id":2,"name":"b"}]'],
      ["/numbers", '[{"id":9007199254740992,"name":"a"},{"id":9007199254740993,"name":"b"}]'],
      ["/pairs", '[{"left":1,"right":"a"},{"left":1,"right":"b"}]'],
      ["/numbers?columns=name", '[{"id":1},{"id":2,"name":"a"}]'],
      ["/numbers", "[]"],
    ] as const) {
      assert.doesNotThrow(() => check("PATCH", path, body), body);
    }
  });

  it("is rejected when a row has no key", () => {
    for (const [path, body, message] of [
      ["/numbers", '[{"name":"a"}]', "Row 0 has no 'id'"],
      ["/numbers", '[{"id":1},{"id":null}]', "Row 1 has no 'id'"],
      ["/numbers?columns=name", '[{"id":1,"name":"a"},{"name":"b"}]', "Row 1 has no 'id'"],
      ["/pairs", '[{"left":1,"note":"a"}]', "Row 0 has no 'right'"],
    ] as const) {
      const rejection = rejectionOf(() => check("PATCH", path, body));
      assert.deepEqual([rejection.code, rejection.status, rejection.message], ["PGRST102", 400, message], body);
    }
  });

  it("is rejected when two rows have the same key", () => {
    for (const [path, body] of [
      ["/numbers", '[{"id":1,"name":"a"},{"id":2,"name":"b"},{"id":"01","name":"c"}]'],
      ["/numbers", '[{"id":1},{"id":9007199254740993},{"id":"9007199254740993"}]'],
      ["/uuids", '[{"id":"0198c0de-0000-7000-8000-000000000001"},{"id":"0198C0DE-0000-7000-8000-000000000001"}]'],
      ["/pairs", '[{"left":1,"right":"a"},{"left":1,"right":"a"}]'],
    ] as const) {
      const { code, status, message } = rejectionOf(() => check("PATCH", path, body));
      assert.deepEqual([code, status], ["PGRST102", 400], body);
      assert.match(message, /^Rows [01] and [12] change the same row$/);
    }
  });
});

describe("the body of any other write", () => {
  it("is not checked", () => {
    assert.doesNotThrow(() => check("POST", "/numbers", '[{"id":1},{"id":1}]'));
    assert.doesNotThrow(() => check("PATCH", "/numbers?id=eq.1", '{"id":null}'));
  });
});
