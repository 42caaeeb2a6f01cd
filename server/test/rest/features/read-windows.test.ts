import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Asked } from "./rest-stage.ts";
import { openRestStage } from "./rest-stage.ts";

const OBJECTS = `
create schema shop;
grant usage on schema shop to anon, authenticated, service_role;
create table shop.items (id int primary key, rank int, info jsonb);
insert into shop.items select n, case when n % 5 = 0 then null else n % 7 end, jsonb_build_object('n', n, 'last', 20 - n)
  from generate_series(1, 20) n;
create table shop.empty (id int primary key);
create table shop.many (id int primary key, item_id int references shop.items);
insert into shop.many select n, 1 from generate_series(1, 200) n;
create table shop.nulls (id int primary key, a text);
insert into shop.nulls values (1, 'x'), (2, null), (3, 'y');
grant select on all tables in schema shop to anon, authenticated, service_role;
analyze shop.items, shop.many;
`;
const opened = openRestStage(OBJECTS, { schemas: ["shop"], maxRows: 50 });

function ask(line: string, headers: Record<string, string> = {}): Promise<Asked> {
  return opened.stage.ask(line, { headers });
}

function idsOf({ json, text }: Asked): number[] {
  assert.ok(Array.isArray(json), text);
  return (json as { id: number }[]).map(({ id }) => id);
}

/** Status and range of the answer. */
function outcome({ status, headers }: Asked): readonly [number, string | undefined] {
  return [status, headers["content-range"]];
}

describe("order", () => {
  it("accepts several columns, each with its direction and position of nulls", async () => {
    const cases: Readonly<Record<string, readonly number[]>> = {
      "order=a": [1, 3, 2],
      "order=a.asc": [1, 3, 2],
      "order=a.desc": [2, 3, 1],
      "order=a.nullsfirst": [2, 1, 3],
      "order=a.asc.nullsfirst": [2, 1, 3],
      "order=a.desc.nullslast": [3, 1, 2],
      "order=a.asc.nullslast": [1, 3, 2],
    };
    for (const [query, expected] of Object.entries(cases)) {
      assert.deepEqual(idsOf(await ask(`GET /nulls?${query}`)), expected, query);
    }
    assert.deepEqual(idsOf(await ask("GET /items?select=id&order=rank.desc.nullslast,id.desc&limit=3")), [13, 6, 19]);
    assert.deepEqual(idsOf(await ask("GET /items?select=id&order=rank&order=id.desc&limit=2")), [14, 7]);
  });

  it("accepts a JSON path", async () => {
    assert.deepEqual(idsOf(await ask("GET /items?select=id&order=info->last&limit=2")), [20, 19]);
    assert.deepEqual(idsOf(await ask("GET /items?select=id&order=info->>n.desc,id&limit=2")), [9, 8]);
    assert.deepEqual(idsOf(await ask("GET /items?select=id&order=info->n.desc.nullslast&limit=1")), [20]);
  });

  it("is rejected for a column that does not exist", async () => {
    const { status, json } = await ask("GET /items?order=nothing");
    assert.equal(status, 400);
    assert.equal((json as { code: string }).code, "42703");
  });
});

describe("windows", () => {
  it("are set by limit and offset", async () => {
    const answer = await ask("GET /items?select=id&order=id&limit=3&offset=2");
    assert.deepEqual(idsOf(answer), [3, 4, 5]);
    assert.deepEqual(outcome(answer), [200, "2-4/*"]);
    assert.deepEqual(outcome(await ask("GET /items?order=id&offset=18")), [200, "18-19/*"]);
    assert.deepEqual(outcome(await ask("GET /items?limit=0")), [200, "*/*"]);
    assert.deepEqual(outcome(await ask("GET /items?offset=100")), [200, "*/*"]);
    assert.deepEqual(outcome(await ask("GET /empty")), [200, "*/*"]);
  });

  it("ignore values that are not numbers and negative offsets", async () => {
    assert.deepEqual(outcome(await ask("GET /items?limit=x&offset=y")), [200, "0-19/*"]);
    assert.deepEqual(outcome(await ask("GET /items?offset=-4")), [200, "0-19/*"]);
  });

  it("reject a negative limit", async () => {
    const { status, json } = await ask("GET /items?limit=-1");
    assert.equal(status, 416);
    assert.deepEqual(json, {
      ...(json as object),
      code: "PGRST103",
      message: "Requested range not satisfiable",
      details: "Limit should be greater than or equal to zero.",
      hint: null,
    });
  });

  it("are set by a Range header, intersected with limit and offset", async () => {
    const ranged = (range: string, query = ""): Promise<Asked> =>
      ask(`GET /items?select=id&order=id${query}`, { range, "range-unit": "items" });
    assert.deepEqual(outcome(await ranged("0-1")), [200, "0-1/*"]);
    assert.deepEqual(outcome(await ranged("5-9")), [200, "5-9/*"]);
    assert.deepEqual(outcome(await ranged("18-")), [200, "18-19/*"]);
    assert.deepEqual(outcome(await ranged("15-100")), [200, "15-19/*"]);
    assert.deepEqual(outcome(await ranged("0-1", "&limit=3")), [200, "0-1/*"]);
    assert.deepEqual(outcome(await ranged("0-4", "&limit=3&offset=1")), [200, "1-3/*"]);
    assert.deepEqual(outcome(await ranged("bytes=0-1")), [200, "0-19/*"]);
  });

  it("reject a Range whose end precedes its start", async () => {
    const { status, json } = await ask("GET /items", { range: "3-1" });
    assert.equal(status, 416);
    assert.equal(
      (json as { details: string }).details,
      "The lower boundary must be lower than or equal to the upper boundary in the Range header.",
    );
  });

  it("ignore the Range header of HEAD", async () => {
    assert.deepEqual(outcome(await ask("HEAD /items", { range: "0-1" })), [200, "0-19/*"]);
  });
});

describe("counts", () => {
  it("return the exact total, with 206 when rows are omitted", async () => {
    const exact = { prefer: "count=exact" };
    assert.deepEqual(outcome(await ask("GET /items", exact)), [200, "0-19/20"]);
    assert.deepEqual(outcome(await ask("GET /items?limit=5", exact)), [206, "0-4/20"]);
    assert.deepEqual(outcome(await ask("GET /items?limit=5&offset=15", exact)), [206, "15-19/20"]);
    assert.deepEqual(outcome(await ask("GET /items?id=gt.15&limit=2", exact)), [206, "0-1/5"]);
    assert.deepEqual(outcome(await ask("GET /empty", exact)), [200, "*/0"]);
    assert.deepEqual(outcome(await ask("GET /items?offset=20", exact)), [206, "*/20"]);
    assert.deepEqual(outcome(await ask("GET /items?limit=0", exact)), [206, "*/20"]);
    assert.equal((await ask("GET /items", exact)).headers["preference-applied"], "count=exact");
  });

  it("reject an offset beyond the last row", async () => {
    const answer = await ask("GET /items?offset=100", { prefer: "count=exact" });
    assert.deepEqual(outcome(answer), [416, "*/20"]);
    const body = answer.json as { code: string; details: string };
    assert.equal(body.code, "PGRST103");
    assert.equal(body.details, "An offset of 100 was requested, but there are only 20 rows.");
    assert.equal((await ask("GET /empty?offset=1", { prefer: "count=exact" })).status, 416);
  });

  it("return the planner's estimate", async () => {
    const planned = { prefer: "count=planned" };
    assert.deepEqual(outcome(await ask("GET /items", planned)), [200, "0-19/20"]);
    assert.deepEqual(outcome(await ask("GET /items?limit=2&offset=3", planned)), [206, "3-4/20"]);
    assert.deepEqual(outcome(await ask("HEAD /items?limit=2", planned)), [206, "0-1/20"]);
  });

  it("are exact up to the cap and estimated beyond it with count=estimated", async () => {
    const estimated = { prefer: "count=estimated" };
    assert.deepEqual(outcome(await ask("GET /items?limit=2", estimated)), [206, "0-1/20"]);
    assert.deepEqual(outcome(await ask("GET /many", estimated)), [206, "0-49/200"]);
  });

  it("are returned for HEAD, without a body", async () => {
    const answer = await ask("HEAD /items?select=*&limit=2", { prefer: "count=exact" });
    assert.deepEqual(outcome(answer), [206, "0-1/20"]);
    assert.equal(answer.text, "");
    assert.equal(answer.headers["content-type"], "application/json; charset=utf-8");
  });

  it("do not depend on order and embeds", async () => {
    const answer = await ask("GET /items?select=id,many(id)&order=info->n&limit=1", { prefer: "count=exact" });
    assert.deepEqual(outcome(answer), [206, "0-0/20"]);
  });
});

describe("the row cap", () => {
  it("cuts a response and reports it", async () => {
    const answer = await ask("GET /many?select=id&order=id");
    assert.deepEqual(outcome(answer), [206, "0-49/*"]);
    assert.equal(answer.headers["x-row-limit"], "50");
    assert.equal(idsOf(answer).length, 50);
    const larger = await ask("GET /many?select=id&limit=100&offset=10");
    assert.deepEqual(outcome(larger), [206, "10-59/*"]);
    assert.equal(larger.headers["x-row-limit"], "50");
  });

  it("cuts groups like rows", async () => {
    const answer = await ask("GET /many?select=id,count()&order=id");
    assert.deepEqual(outcome(answer), [206, "0-49/*"]);
    assert.equal(answer.headers["x-row-limit"], "50");
  });

  it("is not reported when no row is missing", async () => {
    for (const target of [
      "/items",
      "/many?limit=50",
      "/many?limit=100&offset=150",
      "/many?id=lte.50",
      "/many?limit=7",
    ]) {
      const { status, headers } = await ask(`GET ${target}`);
      assert.deepEqual([target, status, headers["x-row-limit"]], [target, 200, undefined]);
    }
  });

  it("does not change the count", async () => {
    assert.deepEqual(outcome(await ask("GET /many", { prefer: "count=exact" })), [206, "0-49/200"]);
    assert.deepEqual(outcome(await ask("HEAD /many", { prefer: "count=exact" })), [206, "0-49/200"]);
  });

  it("applies to each embedded list, and a list that it cuts off is reported", async () => {
    const lengthsOf = async (search: string) => {
      const { status, headers, json } = await ask(`GET /items?${search}&id=eq.1`);
      return [status, headers["x-row-limit"], Object.values((json as object[])[0] ?? {}).at(-1)?.length];
    };
    for (const search of [
      "select=id,many(*)",
      "select=id,many(id)&many.order=id.desc",
      "select=id,many(id)&many.limit=51",
      "select=id,many(id)&many.offset=149",
      "select=id,...many(many:id)",
    ]) {
      assert.deepEqual(await lengthsOf(search), [206, "50", 50], search);
    }
    for (const search of ["select=id,many(id)&many.limit=50", "select=id,many(id)&many.offset=150"]) {
      assert.deepEqual(await lengthsOf(search), [200, undefined, 50], search);
    }
  });
});

describe("the headers of a read", () => {
  it("contain the canonical URL, with the parameters sorted by name", async () => {
    const { headers } = await ask("GET /items?order=id&id=gt.1&limit=1");
    assert.equal(headers["content-location"], "/items?id=gt.1&limit=1&order=id");
    assert.equal((await ask("GET /items")).headers["content-location"], "/items");
  });

  it("list the request headers that the response depends on", async () => {
    const { headers } = await ask("GET /items");
    assert.equal(headers["vary"], "Accept, Prefer, Range");
    assert.equal(headers["content-type"], "application/json; charset=utf-8");
    assert.equal(headers["content-profile"], undefined);
  });

  it("are the same for HEAD as for GET", async () => {
    const got = await ask("GET /items?select=id&order=id&limit=3&offset=2");
    const headed = await ask("HEAD /items?select=id&order=id&limit=3&offset=2");
    assert.deepEqual([headed.status, headed.headers], [got.status, got.headers]);
    assert.equal(headed.text, "");
  });
});
