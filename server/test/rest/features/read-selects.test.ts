import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { openRestStage } from "./rest-stage.ts";

const OBJECTS = `
create schema kinds;
grant usage on schema kinds to anon, authenticated, service_role;
create type kinds.mood as enum ('sad', 'happy');
create type kinds.place as (city text, zip int);
create table kinds.things (
  id int primary key, big bigint, amount numeric, ratio double precision, small real, flag boolean, code uuid,
  seen timestamptz, local timestamp, born date, at time, took interval, raw bytea, tags text[], grid int[][], data jsonb,
  doc json, mood kinds.mood, home kinds.place, span int4range, search tsvector, name text, net inet, price money, bits bit(3)
);
insert into kinds.things values (
  1, 9007199254740993, 12345678901234567890.123456789, 0.1, 1.5, true, 'AAAAAAAA-1111-4111-8111-111111111111',
  '2026-11-15T00:22:10.123400Z', '2026-11-15T00:22:10', '2026-11-15', '08:30', '1 day 2 hours', '\\xdeadbeef', '{a,"b c",NULL}',
  '{{1,2},{3,4}}', '{"b": 1,   "a": [10, {"x": "deep"}], "k-dash": 1, "with space": 2, "a.b": 3, "9": "nine"}', '{"b": 1,   "a": 2}', 'happy',
  '(Oslo,100)', '[1,5)', 'a:1 b:2', 'Näme "q" \\ 😀', '10.0.0.1', 12.5, '101'
);
grant select on all tables in schema kinds to anon, authenticated, service_role;
`;
const opened = openRestStage(OBJECTS, { schemas: ["kinds"] });

async function row(select: string): Promise<unknown> {
  const { status, json, text } = await opened.stage.ask(`GET /things?select=${select}`);
  assert.equal(status, 200, text);
  return (json as unknown[])[0];
}

async function text(select: string): Promise<string> {
  return (await opened.stage.ask(`GET /things?select=${select}`)).text;
}

describe("values in responses", () => {
  it("are numbers with all their digits", async () => {
    assert.equal(await text("big,amount"), '[{"big":9007199254740993,"amount":12345678901234567890.123456789}]');
    assert.deepEqual(await row("ratio,small"), { ratio: 0.1, small: 1.5 });
  });

  it("are times as ISO 8601, with a numeric offset and without trailing zeros", async () => {
    assert.deepEqual(await row("seen,local,born,at,took"), {
      seen: "2026-11-15T00:22:10.1234+00:00",
      local: "2026-11-15T00:22:10",
      born: "2026-11-15",
      at: "08:30:00",
      took: "1 day 02:00:00",
    });
  });

  it("are JSON values, or texts where JSON has no such type", async () => {
    assert.deepEqual(await row("flag,code,raw,mood,span,search,net,bits"), {
      flag: true,
      code: "aaaaaaaa-1111-4111-8111-111111111111",
      raw: "\\xdeadbeef",
      mood: "happy",
      span: "[1,5)",
      search: "'a':1 'b':2",
      net: "10.0.0.1",
      bits: "101",
    });
    assert.deepEqual(await row("tags,grid,home"), {
      tags: ["a", "b c", null],
      grid: [
        [1, 2],
        [3, 4],
      ],
      home: { city: "Oslo", zip: 100 },
    });
    assert.deepEqual(await row("name"), { name: 'Näme "q" \\ 😀' });
  });

  it("keep the bytes of json and the canonical form of jsonb", async () => {
    assert.equal(await text("doc"), '[{"doc":{"b": 1,   "a": 2}}]');
    assert.match(await text("data"), /"a": \[10, \{"x": "deep"\}\]/);
  });
});

describe("selected columns", () => {
  it("have the requested names and order", async () => {
    assert.equal(await text("name:id,id"), '[{"name":1,"id":1}]');
    assert.equal(await text("flag,id"), '[{"flag":true,"id":1}]');
  });

  it("are all without select, and none with an empty select", async () => {
    const { json } = await opened.stage.ask("GET /things");
    assert.equal(Object.keys((json as object[])[0] ?? {}).length, 25);
    assert.equal(await text(""), "[{}]");
  });

  it("may have blanks around them", async () => {
    assert.deepEqual(await row(encodeURIComponent(" id , flag ")), { id: 1, flag: true });
  });

  it("take casts", async () => {
    assert.deepEqual(await row("id::text,amount::int8::text".split(",")[0] ?? ""), { id: "1" });
    assert.deepEqual(await row("t:id::text,ratio::numeric,small::integer,flag::text"), {
      t: "1",
      ratio: 0.1,
      small: 2,
      flag: "true",
    });
    assert.deepEqual(await row("seen::date,born::timestamp,born2:born::timestamp with time zone"), {
      seen: "2026-11-15",
      born: "2026-11-15T00:00:00",
      born2: "2026-11-15T00:00:00+00:00",
    });
    assert.deepEqual(await row("mood::text,name::varchar,ratio::double precision,span::TEXT"), {
      mood: "happy",
      name: 'Näme "q" \\ 😀',
      ratio: 0.1,
      span: "[1,5)",
    });
    assert.deepEqual(
      await row("data::text,tags::text,doc::jsonb").then((found) => (found as { tags: string }).tags),
      '{a,"b c",NULL}',
    );
  });

  it("are rejected with the database's message for an unknown type", async () => {
    const { status, json } = await opened.stage.ask("GET /things?select=id::nothing");
    assert.equal(status, 400);
    const { code, message } = json as { code: string; message: string };
    assert.deepEqual([code, message], ["42704", 'type "nothing" does not exist']);
  });

  it("are rejected with the database's message when they do not exist", async () => {
    const { status, json } = await opened.stage.ask("GET /things?select=id,nme");
    assert.equal(status, 400);
    const { code, message } = json as { code: string; message: string };
    assert.deepEqual([code, message], ["42703", "column things.nme does not exist"]);
  });
});

describe("JSON paths in select", () => {
  it("are named by their last key", async () => {
    assert.deepEqual(await row("data->b"), { b: 1 });
    assert.deepEqual(await row("data->>b"), { b: "1" });
    assert.deepEqual(await row("data->a->0"), { a: 10 });
    assert.deepEqual(await row("data->a->1->>x"), { x: "deep" });
    assert.deepEqual(await row("data->a->-1"), { a: { x: "deep" } });
    assert.deepEqual(await row("tags->0"), { tags: "a" });
  });

  it("take aliases, casts and keys of every kind", async () => {
    assert.deepEqual(await row("n:data->>b::int"), { n: 1 });
    assert.deepEqual(await row("data->k-dash"), { "k-dash": 1 });
    assert.deepEqual(await row("data->with space"), { "with space": 2 });
    assert.deepEqual(await row('data->"a.b"'), { "a.b": 3 });
    assert.deepEqual(await row('data->"9"'), { "9": "nine" });
    assert.deepEqual(await row("data->>nothing,data->a->5->x"), { nothing: null, x: null });
    assert.deepEqual(await row("doc->b,doc->>a"), { b: 1, a: "2" });
  });

  it("read arrays, composites and everything that is rendered as JSON", async () => {
    assert.deepEqual(await row("home->>city,home->zip"), { city: "Oslo", zip: 100 });
    assert.deepEqual(await row("first:tags->>0,cell:grid->1->0"), { first: "a", cell: 3 });
  });

  it("never execute a key as SQL", async () => {
    const key = `'); drop table kinds.things; --`;
    const { status } = await opened.stage.ask(`GET /things?select=x:data->"${encodeURIComponent(key)}"`);
    assert.equal(status, 200);
    assert.deepEqual(await row('x:data->"\\\\\\\\\'"'), { x: null });
  });
});
